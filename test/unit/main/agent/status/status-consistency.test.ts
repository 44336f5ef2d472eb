import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StandingContext } from '../../../../../main/agent/domain/standing.ts'
import type { Journal, Recording } from '../../../../../main/agent/journal/journal.ts'
import { nightFiguresOf } from '../../../../../main/agent/outlook/nights.ts'
import { Progress } from '../../../../../main/agent/status/progress.ts'
import { rowOf } from '../../../../../main/agent/status/recording-rows.ts'
import { takeSnapshot } from '../../../../../main/agent/status/snapshot.ts'
import { type CallArgs, calls } from '../../../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { countIn, nightParts, standingsIn, totalOf } from '../../../../../shared/status/night-parts.ts'
import { nightAt } from '../../../../../shared/status/nights.ts'
import { problemNeedsAttention } from '../../../../../shared/status/problem.ts'
import { type Standing, standings } from '../../../../../shared/status/standing.ts'
import { type RecordingState, recordingStates, type Status } from '../../../../../shared/status/status.ts'
import { stationLine } from '../../../../../shared/words/station-line.ts'
import { anyStory, writeStory } from '../../../../support/any-journal.ts'
import { calmSources, quietOutlook } from '../../../../support/calm-snapshot.ts'
import { runs } from '../../../../support/runs.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'

const NOW_MS = new Date(2026, 2, 12, 7, 42).getTime()

const settings = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [
    { path: '/rec/hall', site: 'Hall 3' },
    { path: '/rec/track', site: 'Test track' },
  ],
})
const [hall, track] = settings.folders

type StationSnapshot = {
  readonly journal: Journal
  readonly view: StandingContext
  readonly status: Status
  readonly all: readonly Recording[]
  readonly paused: boolean
}

/** The expected standing of a recording, computed without the program's `standingRules`. */
const expectedStanding = (
  recording: Recording,
  { journal, view, paused: isPaused }: StationSnapshot,
): Standing => {
  const { id, state, problem, service, paused } = recording
  const hasEnded = state === 'failed' || state === 'gone'
  if (problem?.endsBy === 'folder' || problem?.endsBy === 'dismissed') return 'dismissed'
  if (problem !== null && (hasEnded || problem.endsBy !== 'time')) return 'needs-attention'
  if (hasEnded) return 'dismissed'
  if (state === 'processed') {
    const isCurrentService = journal.station.refusedKey() === null && service === journal.station.service()
    return isCurrentService ? 'safe' : 'elsewhere'
  }
  if (state === 'completing' || state === 'processing') return 'at-service'
  if (state === 'growing') return 'recording'
  const isSent = view.uploadingIds?.includes(id) === true
  return isSent && problem === null && !paused && !isPaused ? 'uploading' : 'waiting'
}

const idsOf = (recordings: readonly { readonly id: number }[]) =>
  recordings.map(({ id }) => id).sort((a, b) => a - b)

const listPage = (
  { journal, view }: StationSnapshot,
  wanted: readonly Standing[],
  from?: string,
  to?: string,
) =>
  journal.list.page(
    calls.listRecordings.args.parse({
      standings: [...wanted],
      limit: 500,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }),
    view,
  )

type ListArgs = CallArgs<'listRecordings'>

const queryOf = (args: ListArgs) => calls.listRecordings.args.parse({ limit: 500, ...args })
const readPage = ({ journal, view }: StationSnapshot, args: ListArgs) =>
  journal.list.page(queryOf(args), view)
const outlineOf = ({ journal, view }: StationSnapshot, args: ListArgs) =>
  journal.list.outline(queryOf(args), view)

/** Filters that a user may combine with a chip. A chip filters the list by one standing (`StandingChips.tsx`). */
const filtersOf = ({ status }: StationSnapshot): readonly ListArgs[] => [
  {},
  { text: 'a' },
  { folder: '/rec/hall' },
  { from: status.report.since },
  { to: status.report.since, folder: '/rec/track' },
  { problem: 'site-refused' },
]

const filterByStanding = (snapshot: StationSnapshot, wanted: readonly Standing[], sinceMs = 0) =>
  snapshot.all.filter(
    (recording) => recording.foundAtMs >= sinceMs && wanted.includes(expectedStanding(recording, snapshot)),
  )

const numbersIn = (pattern: RegExp, text: string): number[] | null =>
  pattern
    .exec(text)
    ?.slice(1)
    .map((digits) => Number(digits.replaceAll(',', ''))) ?? null

const rules: readonly (readonly [string, (snapshot: StationSnapshot) => void])[] = [
  [
    'the parts of the night add up to its recordings, and each part lists exactly its own recordings',
    (snapshot) => {
      const { report } = snapshot.status
      const sinceMs = Date.parse(report.since)
      expect(report.recorded).toBe(snapshot.all.filter(({ foundAtMs }) => foundAtMs >= sinceMs).length)
      expect(nightParts.reduce((sum, part) => sum + countIn(report.standings, part), 0)).toBe(report.recorded)
      for (const part of nightParts) {
        const page = listPage(snapshot, standingsIn[part], report.since)
        expect([part, idsOf(page.rows)]).toEqual([
          part,
          idsOf(filterByStanding(snapshot, standingsIn[part], sinceMs)),
        ])
        expect([part, page.total]).toEqual([part, countIn(report.standings, part)])
      }
    },
  ],
  [
    'the parts of the night bar add up to the night’s bytes, and its remaining bytes agree with the queue',
    (snapshot) => {
      const { report, transfer } = snapshot.status
      const sinceMs = Date.parse(report.since)
      const bytesOf = (recordings: readonly Recording[]) =>
        recordings.reduce((sum, { identity }) => sum + identity.sizeBytes, 0)
      for (const part of nightParts)
        expect([part, report.partBytes[part]]).toEqual([
          part,
          bytesOf(filterByStanding(snapshot, standingsIn[part], sinceMs)),
        ])
      expect(nightParts.reduce((sum, part) => sum + report.partBytes[part], 0)).toBe(report.bytes)
      const onThisPc = filterByStanding(snapshot, standingsIn.here)
      // The queue also contains recordings of earlier nights, but no recordings that a user has paused.
      const earlierNights = onThisPc.filter(({ foundAtMs, paused }) => foundAtMs < sinceMs && !paused)
      const paused = onThisPc.filter(({ foundAtMs, paused }) => foundAtMs >= sinceMs && paused)
      const leftOf = (recordings: readonly Recording[]) =>
        recordings.reduce((sum, { identity, bytesSent }) => sum + identity.sizeBytes - bytesSent, 0)
      expect(report.partBytes.here - report.sentBytes).toBe(
        transfer.bytesLeft - leftOf(earlierNights) + leftOf(paused),
      )
    },
  ],
  [
    'each of the 30 nights matches the list, tonight matches the report, and the folders add up to the station',
    (snapshot) => {
      const nights = nightFiguresOf(snapshot.journal, settings.folders, snapshot.view, NOW_MS)
      expect(nights.station).toHaveLength(30)
      const tonight = nights.station.at(-1)
      const { partBytes: _, sentBytes: __, ...report } = snapshot.status.report
      expect(tonight).toMatchObject(report)
      for (const night of nights.station) {
        expect(totalOf(night.standings)).toBe(night.recorded)
        if (night.recorded === 0) continue
        for (const part of nightParts) {
          const page = listPage(snapshot, standingsIn[part], night.since, night.until)
          expect([night.name, part, page.total]).toEqual([night.name, part, countIn(night.standings, part)])
        }
        const inNight = snapshot.all.filter(
          ({ foundAtMs }) => foundAtMs >= Date.parse(night.since) && foundAtMs < Date.parse(night.until),
        )
        expect(night.bytes).toBe(inNight.reduce((sum, { identity }) => sum + identity.sizeBytes, 0))
      }
      expect(nights.station.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(snapshot.all.length)
      for (const [index, night] of nights.station.slice(-7).entries())
        for (const figure of ['recorded', 'bytes'] as const)
          expect(nights.folders.reduce((sum, folder) => sum + (folder.nights[index]?.[figure] ?? 0), 0)).toBe(
            night[figure],
          )
    },
  ],
  [
    'the counts, the list and each row agree',
    (snapshot) => {
      expect(totalOf(snapshot.status.standings)).toBe(snapshot.all.length)
      for (const eachStanding of standings) {
        const page = listPage(snapshot, [eachStanding])
        expect([eachStanding, page.total]).toEqual([eachStanding, snapshot.status.standings[eachStanding]])
        expect([eachStanding, idsOf(page.rows)]).toEqual([
          eachStanding,
          idsOf(filterByStanding(snapshot, [eachStanding])),
        ])
        for (const row of page.rows)
          expect(rowOf(row, null, snapshot.view, () => undefined).standing).toBe(eachStanding)
      }
    },
  ],
  [
    'the number on each chip equals the length of the list with that chip, whatever other filter is set',
    (snapshot) => {
      expect(outlineOf(snapshot, {}).standings).toEqual(snapshot.status.standings)
      for (const filter of filtersOf(snapshot)) {
        const counts = outlineOf(snapshot, filter).standings!
        const totalWith = (chip: ListArgs) => readPage(snapshot, { ...filter, ...chip, limit: 1 }).total
        expect([filter, totalOf(counts)]).toEqual([filter, totalWith({})])
        for (const eachStanding of standings)
          expect([filter, eachStanding, counts[eachStanding]]).toEqual([
            filter,
            eachStanding,
            totalWith({ standings: [eachStanding] }),
          ])
      }
    },
  ],
  [
    'recordings that need attention are on top in every order, and each heading shows the number of its rows',
    (snapshot) => {
      for (const sort of ['found', 'name', 'state'] as const)
        for (const descending of [true, false]) {
          const args = { sort, descending, pinned: true }
          const { rows, total } = readPage(snapshot, args)
          const outline = outlineOf(snapshot, args)
          const unpinned = readPage(snapshot, { sort, descending }).rows
          const needsAttention = (row: Recording) => expectedStanding(row, snapshot) === 'needs-attention'
          const ids = rows.map(({ id }) => id)
          expect(ids).toEqual(
            [...unpinned.filter(needsAttention), ...unpinned.filter((row) => !needsAttention(row))].map(
              ({ id }) => id,
            ),
          )
          expect([outline.pinned, total]).toEqual([unpinned.filter(needsAttention).length, unpinned.length])
          const headingNights = outline.nights.flatMap(({ day, count }) => Array<string>(count).fill(day))
          const nights = rows.slice(outline.pinned).map(({ foundAtMs }) => nightAt(foundAtMs).name)
          expect(headingNights).toEqual(sort === 'found' ? nights : [])
          // All pages together are the same list, and each row is at its reported index.
          const pieces = [0, 3, 6].flatMap((offset) => readPage(snapshot, { ...args, offset, limit: 3 }).rows)
          expect(pieces.map(({ id }) => id)).toEqual(ids.slice(0, 9))
          for (const index of [0, outline.pinned, ids.length - 1]) {
            const id = ids[index]
            if (id === undefined) continue
            const order = calls.locateRecording.args.parse({ ...args, id })
            expect([index, snapshot.journal.list.indexOf(order, snapshot.view)]).toEqual([index, index])
          }
        }
      for (const filter of filtersOf(snapshot)) {
        const { rows } = readPage(snapshot, filter)
        expect(
          outlineOf(snapshot, filter).nights.flatMap(({ day, count }) => Array<string>(count).fill(day)),
        ).toEqual(rows.map(({ foundAtMs }) => nightAt(foundAtMs).name))
      }
    },
  ],
  [
    'only recordings processed by the service in use are safe',
    (snapshot) => {
      for (const { state, service } of listPage(snapshot, ['safe']).rows) {
        expect([state, service]).toEqual(['processed', snapshot.journal.station.service()])
        expect(snapshot.journal.station.refusedKey()).toBeNull()
      }
    },
  ],
  [
    'the stored totals equal a full count',
    ({ status, all }) => {
      const countOf = (state: RecordingState) => all.filter((recording) => recording.state === state).length
      expect(status.counts).toEqual(
        Object.fromEntries(recordingStates.map((state) => [state, countOf(state)])),
      )
      const unsent = new Set<RecordingState>(['growing', 'queued', 'hashing', 'ready', 'uploading'])
      expect(status.transfer.bytesLeft).toBe(
        all
          .filter(
            ({ state, problem, paused }) =>
              unsent.has(state) && !paused && (problem === null || problem.endsBy === 'time'),
          )
          .reduce((sum, { identity, bytesSent }) => sum + identity.sizeBytes - bytesSent, 0),
      )
      const { waiting, uploading } = status.standings
      expect(status.folders.reduce((sum, folder) => sum + folder.waiting, 0)).toBe(waiting + uploading)
      for (const { path, recordings, lastFoundAt } of status.folders) {
        const onThisPc = all.filter(({ folder }) => folder === path)
        expect([path, recordings]).toEqual([path, onThisPc.length])
        const lastFoundAtMs =
          onThisPc.length === 0 ? null : Math.max(...onThisPc.map(({ foundAtMs }) => foundAtMs))
        expect(lastFoundAt === null ? null : Date.parse(lastFoundAt)).toBe(lastFoundAtMs)
      }
    },
  ],
  [
    'the transfer, the headline and the counts agree on how many recordings upload, wait or are processed',
    ({ status }) => {
      const { transfer, standings: figures } = status
      expect(transfer.uploads.length).toBe(figures.uploading)
      expect([transfer.waiting, transfer.processing]).toEqual([figures.waiting, figures['at-service']])
      const { headline, detail } = status.station
      for (const [count, word] of [
        [figures.uploading, 'uploading'],
        [figures.waiting, 'waiting'],
        [figures['at-service'], 'being processed'],
      ] as const)
        if (count > 0) expect(`${headline} · ${detail}`).toContain(`${count} ${word}`)
    },
  ],
  [
    'the counts of user, administrator and service add up, and every recording that needs attention is on a card',
    ({ status }) => {
      const { needs, needAttention, standings: figures } = status
      expect(needAttention).toBe(figures['needs-attention'])
      expect(needs.technician + needs.admin + needs.service).toBe(needAttention)
      const onCards = (clearsByItself: boolean) =>
        status.problems
          .filter(({ problem }) => problemNeedsAttention(problem) !== clearsByItself)
          .reduce((sum, { count }) => sum + count, 0)
      expect(onCards(false)).toBeLessThanOrEqual(needAttention)
      expect(onCards(false) + onCards(true)).toBeGreaterThanOrEqual(needAttention)
    },
  ],
  [
    'the headline and the tray agree, and only "all safe" is green',
    ({ status, all, paused }) => {
      const { headline, detail, state } = status.station
      expect(stationLine({ status, health: { state: 'running', restarts: 0 } })).toBe(headline)
      const isAllSafe = all.length > 0 && status.standings.safe === all.length
      expect([headline, /^(All|The recording)/.test(headline)]).toEqual([headline, isAllSafe && !paused])
      expect([headline, state === 'idle']).toEqual([headline, isAllSafe && !paused])
      const safe = numbersIn(/([\d,]+) of ([\d,]+) safe/, detail)
      if (safe !== null) expect(safe).toEqual([status.standings.safe, all.length])
      const needed = [...`${headline} · ${detail}`.matchAll(/([\d,]+) (?:recordings? needs?|more for) /g)]
      const sum = needed.reduce((all, [, digits = '']) => all + Number(digits.replaceAll(',', '')), 0)
      expect([headline, sum]).toEqual([headline, status.needAttention])
    },
  ],
]

test('for any journal, all displayed numbers are consistent', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const clock = { nowMs: NOW_MS }
      const { journal, close } = openTempJournal(() => clock.nowMs)
      try {
        if (hall === undefined || track === undefined) throw new Error('two folders are needed')
        writeStory(journal, clock, [hall, track], story)
        const paused = journal.station.currentPause() !== null
        const progress = new Progress({ wallMs: () => NOW_MS, monotonicMs: () => 0 })
        // Uploads with an even ID are sending. The other open uploads wait for a slot.
        for (const { id, state } of journal.views.everything())
          if (state === 'uploading' && id % 2 === 0) progress.sending(id, 1, 0)
        const view = {
          service: journal.station.serviceInUse(),
          sending: !paused,
          uploadingIds: progress.uploadingIds,
        }
        const status = takeSnapshot({
          journal,
          progress,
          settings,
          view,
          ...calmSources,
          outlook: quietOutlook(journal),
          nowMs: NOW_MS,
        })
        const snapshot = { journal, view, status, all: journal.views.everything(), paused }
        for (const [rule, check] of rules) {
          try {
            check(snapshot)
          } catch (error) {
            throw new Error(`not consistent: ${rule}`, { cause: error })
          }
        }
      } finally {
        close()
      }
    }),
    { numRuns: runs(30) },
  )
})
