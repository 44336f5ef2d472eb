import { fillingOf } from '../../main/agent/domain/room.ts'
import { nightEnd, usualBetween } from '../../main/agent/domain/usual-recording.ts'
import { Outlook } from '../../main/agent/status/outlook.ts'
import { seeded } from '../support/seeded.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import { addRecording, type Kind, kinds, MINUTE_MS, makeYear, settingsOf } from './made-year.ts'
import { percent, writePage } from './page.ts'

const ASKED_AT_HOUR = 20
const LEARNING_DAYS = 10
const DAY_MS = 86_400_000
/** Drives that are full after about so many usual days. */
const DAYS_OF_ROOM = [0.4, 1.5, 4, 9, 25]
const DAYS_AHEAD = 45

export type AskedRoom = {
  readonly daysOfRoom: number
  /** In nights: what was said, and what came. Null: further ahead than the year goes on. */
  readonly said: number | null
  readonly came: number
}

/** What a drive with this much room would have been told each evening of the year, and when it was full. */
export const askForRoom = (kind: Kind, days: number, seed: number): readonly AskedRoom[] => {
  const year = makeYear(kind, days, seeded(seed))
  const [folder] = settingsOf(kind).folders
  if (folder === undefined) throw new Error('a folder is needed')
  const clock = { nowMs: year.startMs }
  const { journal, close } = openTempJournal(() => clock.nowMs)
  const outlook = new Outlook(journal, () => ({ bytes: 0, seconds: 0, limitBytesPerSecond: null }))
  const asked: AskedRoom[] = []
  const usualDay = kind.recordingsPerDay * kind.bytesEach
  let next = 0
  try {
    journal.station.setVolume(folder.path, { device: '1', inode: '1' }, year.startMs)
    const ask = (minute: number) => {
      clock.nowMs = year.startMs + minute * MINUTE_MS
      const first = next
      journal.transaction(() => {
        for (
          let made = year.recordings[next];
          made !== undefined && made.minute <= minute;
          made = year.recordings[next]
        ) {
          clock.nowMs = year.startMs + made.minute * MINUTE_MS
          addRecording(journal, folder, next, made.bytes)
          next += 1
        }
      })
      clock.nowMs = year.startMs + minute * MINUTE_MS
      if (minute < LEARNING_DAYS * 1_440 || first === year.recordings.length) return
      const usual = outlook.usualIn([folder.path], clock.nowMs)
      const sinceMs = nightEnd(clock.nowMs) - DAY_MS
      const recorded = journal.rates.recordedHours([folder.path]).filter(({ atMs }) => atMs >= sinceMs)
      for (const daysOfRoom of DAYS_OF_ROOM) {
        const freeBytes = usualDay * daysOfRoom
        let left = freeBytes
        const full = year.recordings.slice(next).find(({ bytes }) => {
          left -= bytes
          return left < 0
        })
        if (full === undefined || full.minute > minute + DAYS_AHEAD * 1_440) continue
        const fills = fillingOf({
          nowMs: clock.nowMs,
          freeBytes,
          usual,
          tonight: {
            bytes: recorded.reduce((sum, { bytes }) => sum + bytes, 0),
            usualBytes: usual === null ? 0 : usualBetween(usual, sinceMs, clock.nowMs),
          },
        })
        const fullMs = year.startMs + full.minute * MINUTE_MS
        const endsMs = nightEnd(clock.nowMs)
        asked.push({
          daysOfRoom,
          said: fills.kind === 'tonight' ? 1 : fills.kind === 'nights' ? fills.nights : null,
          came: fullMs <= endsMs ? 1 : 1 + Math.ceil((fullMs - endsMs) / DAY_MS),
        })
      }
    }
    for (let minute = 0; minute < year.minutes; minute += 60)
      if (new Date(year.startMs + minute * MINUTE_MS).getHours() === ASKED_AT_HOUR) ask(minute)
  } finally {
    close()
  }
  return asked
}

export const judgeRoom = (asked: readonly AskedRoom[]) => {
  const share = (test: (one: AskedRoom) => boolean) =>
    asked.length === 0 ? 0 : asked.filter(test).length / asked.length
  const off = ({ said, came }: AskedRoom) =>
    said === null ? Number.POSITIVE_INFINITY : Math.abs(said - came)
  return {
    questions: asked.length,
    near: share((one) => off(one) <= Math.max(1, 0.2 * one.came)),
    exact: share((one) => off(one) === 0),
    tonightRight: asked.filter(({ said, came }) => said === 1 && came === 1).length,
    tonightFalse: asked.filter(({ said, came }) => said === 1 && came > 1).length,
    tonightMissed: asked.filter(({ said, came }) => said !== 1 && came === 1).length,
  }
}

const DAYS = 365
const SEED = 12

export const evaluateRoom = async (): Promise<void> => {
  const all = kinds.flatMap((kind) => askForRoom(kind, DAYS, SEED))
  const rows = DAYS_OF_ROOM.map((days) => {
    const { questions, near, exact } = judgeRoom(all.filter((one) => one.daysOfRoom === days))
    return `| ${days} | ${questions} | ${percent(near)} | ${percent(exact)} |`
  })
  const judged = judgeRoom(all)
  const text = [
    '| usual days of room | questions | within a night or 20 % | to the night |',
    '|--:|--:|--:|--:|',
    ...rows,
    `| all | ${judged.questions} | ${percent(judged.near)} | ${percent(judged.exact)} |`,
    '',
    '| “full tonight” | |',
    '|---|--:|',
    `| said, and it was so | ${judged.tonightRight} |`,
    `| said, and there was room for another night | ${judged.tonightFalse} |`,
    `| not said, and it was full | ${judged.tonightMissed} |`,
  ].join('\n')
  await writePage('room', text)
}
