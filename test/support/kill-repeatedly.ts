import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readJournal } from './journal-file.ts'
import { PART, type Station, until } from './station.ts'

type Stats = { readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>> }

/** Writes bytes that differ from file to file, so that no two recordings have the same content. */
export const writeRandomFile = async (file: string, bytes: number, random: () => number): Promise<void> => {
  const stream = createWriteStream(file)
  for (let bytesLeft = bytes; bytesLeft > 0; bytesLeft -= 65_536) {
    const chunk = Buffer.allocUnsafe(Math.min(bytesLeft, 65_536))
    for (let offset = 0; offset + 4 <= chunk.length; offset += 1024)
      chunk.writeUInt32LE((random() * 2 ** 32) >>> 0, offset)
    if (chunk.length < 4) chunk.fill((random() * 256) | 0)
    if (!stream.write(chunk)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}

/** Parts whose ETag is in the journal now. The agent must never send these again. */
const journaledParts = (data: string): { session: string; part: number }[] =>
  readJournal(
    data,
    `SELECT r.session_id AS session, p.number AS part FROM parts p JOIN recordings r ON r.id = p.recording_id
     WHERE p.etag IS NOT NULL AND r.session_id IS NOT NULL`,
  )

const hasHalfSentRecording = (data: string): boolean =>
  readJournal(
    data,
    `SELECT r.id FROM parts p JOIN recordings r ON r.id = p.recording_id WHERE r.state = 'uploading'
     GROUP BY r.id HAVING COUNT(p.etag) BETWEEN 1 AND COUNT(*) - 1`,
  ).length > 0

export type KillReport = {
  readonly kills: number
  /** The number of kills between two parts of a recording. Without such a kill, the run proves nothing about parts. */
  readonly halfWayKills: number
  readonly resent: readonly string[]
}

/**
 * Kills the agent up to `kills` times at random moments, and once more if no kill was between two parts. Then the agent
 * runs until nothing is left to do.
 */
export const killRepeatedly = async (
  station: Station,
  options: { readonly kills: number; readonly maxRunMs: number; readonly random: () => number },
): Promise<KillReport> => {
  const sendCounts = new Map<string, number>()
  const resent: string[] = []
  // Part 2 is slow, so that a kill can come after part 1 is journaled and while part 2 is in flight.
  const slowEffect = { kind: 'latency', ms: 400 }
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 10_000, effect: slowEffect })
  const updateCounts = async () => {
    const { parts } = (await station.sandbox.control('GET', '/stats')) as Stats
    for (const [key, count] of sendCounts) {
      const [session = '', part = ''] = key.split('/')
      const newCount = parts[session]?.[part] ?? 0
      if (newCount > count) resent.push(`${key}: ${count} -> ${newCount}`)
      sendCounts.set(key, newCount)
    }
    for (const { session, part } of journaledParts(station.data)) {
      const key = `${session}/${part}`
      if (!sendCounts.has(key)) sendCounts.set(key, parts[session]?.[part] ?? 0)
    }
  }
  let kills = 0
  let halfWayKills = 0
  // On a busy computer, a random kill may never come between two parts.
  while (kills < options.kills || halfWayKills === 0) {
    const agent = station.agent('--until-idle')
    // Before the first journal entry, the agent has no data to lose.
    const waitForMoment = () =>
      kills < options.kills
        ? sleep(options.random() * options.maxRunMs)
        : until('a recording is half sent', () => hasHalfSentRecording(station.data)).then(() => undefined)
    const outcome = await Promise.race([
      agent.ended,
      agent.waitForChange('the agent reports a recording', () => true).then(waitForMoment),
    ])
    if (outcome !== undefined) break
    await agent.kill('SIGKILL')
    kills += 1
    if (hasHalfSentRecording(station.data)) halfWayKills += 1
    await updateCounts()
  }
  await station.sandbox.control('DELETE', '/faults')
  await station.runToIdle()
  await updateCounts()
  return { kills, halfWayKills, resent }
}

/** First tiny sizes and sizes around multiples of a part, then random sizes of up to three parts. */
export const edgeSizes = (count: number, random: () => number): number[] => {
  const edges = [1, 1000, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 17]
  return Array.from({ length: count }, (_, index) => edges[index] ?? Math.ceil(random() * 3 * PART))
}
