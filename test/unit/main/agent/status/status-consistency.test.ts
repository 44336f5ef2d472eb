import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Viewpoint } from '../../../../../main/agent/domain/standing.ts'
import type { Journal, Recording } from '../../../../../main/agent/journal/journal.ts'
import { nightsOf } from '../../../../../main/agent/outlook/nights.ts'
import { Progress } from '../../../../../main/agent/status/progress.ts'
import { rowOf } from '../../../../../main/agent/status/recording-rows.ts'
import { takeSnapshot } from '../../../../../main/agent/status/snapshot.ts'
import { trayLine } from '../../../../../main/shell/tray/tray-menu.ts'
import { type CallArgs, calls } from '../../../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { countIn, nightParts, standingsIn, totalOf } from '../../../../../shared/status/night-parts.ts'
import { nightAt } from '../../../../../shared/status/nights.ts'
import {
  needsSomebody,
  type RecordingState,
  recordingStates,
  type Standing,
  type Status,
  standings,
} from '../../../../../shared/status/status.ts'
import { anyStory, writeStory } from '../../../../support/any-journal.ts'
import { calmSources, quietOutlook } from '../../../../support/calm-snapshot.ts'
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

type Told = {
  readonly journal: Journal
  readonly view: Viewpoint
  readonly status: Status
  readonly all: readonly Recording[]
  readonly paused: boolean
}

/** What each recording is, told again without the program's own table. */
const truthOf = (recording: Recording, { journal, paused: isPaused }: Told): Standing => {
  const { state, problem, service, paused } = recording
  const ended = state === 'failed' || state === 'gone'
  if (problem?.endsBy === 'folder') return 'set-aside'
  if (problem !== null && (ended || problem.endsBy !== 'time')) return 'needs-someone'
  if (ended) return 'set-aside'
  if (state === 'processed') {
    const ours = journal.station.refusedKey() === null && service === journal.station.service()
    return ours ? 'safe' : 'elsewhere'
  }
  if (state === 'completing' || state === 'processing') return 'at-service'
  if (state === 'growing') return 'recording'
  return state === 'uploading' && problem === null && !paused && !isPaused ? 'uploading' : 'waiting'
}

const idsOf = (recordings: readonly { readonly id: number }[]) =>
  recordings.map(({ id }) => id).sort((a, b) => a - b)

const listed = ({ journal, view }: Told, wanted: readonly Standing[], from?: string, to?: string) =>
  journal.list.page(
    calls.listRecordings.args.parse({
      standings: [...wanted],
      limit: 500,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }),
    view,
  )

type Asked = CallArgs<'listRecordings'>

const queryOf = (asked: Asked) => calls.listRecordings.args.parse({ limit: 500, ...asked })
const ask = ({ journal, view }: Told, asked: Asked) => journal.list.page(queryOf(asked), view)
const outlineOf = ({ journal, view }: Told, asked: Asked) => journal.list.outline(queryOf(asked), view)

/** What a person may narrow the list to besides a chip. */
const narrowings = ({ status }: Told): readonly Asked[] => [
  {},
  { text: 'a' },
  { folder: '/rec/hall' },
  { from: status.report.since },
  { to: status.report.since, folder: '/rec/track' },
  { problem: 'site-refused' },
]

const standing = (told: Told, wanted: readonly Standing[], sinceMs = 0) =>
  told.all.filter((recording) => recording.foundAtMs >= sinceMs && wanted.includes(truthOf(recording, told)))

const numbersIn = (pattern: RegExp, text: string): number[] | null =>
  pattern
    .exec(text)
    ?.slice(1)
    .map((digits) => Number(digits.replaceAll(',', ''))) ?? null

const promises: readonly (readonly [string, (told: Told) => void])[] = [
  [
    'the parts of the night sum to what was recorded, and each leads to exactly its recordings',
    (told) => {
      const { report } = told.status
      const sinceMs = Date.parse(report.since)
      expect(report.recorded).toBe(told.all.filter(({ foundAtMs }) => foundAtMs >= sinceMs).length)
      expect(nightParts.reduce((sum, part) => sum + countIn(report.standings, part), 0)).toBe(report.recorded)
      for (const part of nightParts) {
        const page = listed(told, standingsIn[part], report.since)
        expect([part, idsOf(page.rows)]).toEqual([part, idsOf(standing(told, standingsIn[part], sinceMs))])
        expect([part, page.total]).toEqual([part, countIn(report.standings, part)])
      }
    },
  ],
  [
    'each of the thirty nights is what the list shows for it, this one is the night bar, and the folders sum to it',
    (told) => {
      const nights = nightsOf(told.journal, settings.folders, told.view, NOW_MS)
      expect(nights.station).toHaveLength(30)
      const tonight = nights.station.at(-1)
      expect(tonight).toMatchObject({ ...told.status.report })
      for (const night of nights.station) {
        expect(totalOf(night.standings)).toBe(night.recorded)
        if (night.recorded === 0) continue
        for (const part of nightParts) {
          const page = listed(told, standingsIn[part], night.since, night.until)
          expect([night.name, part, page.total]).toEqual([night.name, part, countIn(night.standings, part)])
        }
        const inNight = told.all.filter(
          ({ foundAtMs }) => foundAtMs >= Date.parse(night.since) && foundAtMs < Date.parse(night.until),
        )
        expect(night.bytes).toBe(inNight.reduce((sum, { identity }) => sum + identity.sizeBytes, 0))
      }
      expect(nights.station.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(told.all.length)
      for (const [index, night] of nights.station.slice(-7).entries())
        for (const figure of ['recorded', 'bytes'] as const)
          expect(nights.folders.reduce((sum, folder) => sum + (folder.nights[index]?.[figure] ?? 0), 0)).toBe(
            night[figure],
          )
    },
  ],
  [
    'the figures, the list and each row are of one mind',
    (told) => {
      expect(totalOf(told.status.standings)).toBe(told.all.length)
      for (const one of standings) {
        const page = listed(told, [one])
        expect([one, page.total]).toEqual([one, told.status.standings[one]])
        expect([one, idsOf(page.rows)]).toEqual([one, idsOf(standing(told, [one]))])
        for (const row of page.rows) expect(rowOf(row, null, told.view, () => undefined).standing).toBe(one)
      }
    },
  ],
  [
    'the number on each chip is what the list shows under it, whatever else it is narrowed to',
    (told) => {
      expect(outlineOf(told, {}).standings).toEqual(told.status.standings)
      for (const narrowing of narrowings(told)) {
        const counts = outlineOf(told, narrowing).standings!
        const shown = (chip: Asked) => ask(told, { ...narrowing, ...chip, limit: 1 }).total
        expect([narrowing, totalOf(counts)]).toEqual([narrowing, shown({})])
        for (const one of standings)
          expect([narrowing, one, counts[one]]).toEqual([narrowing, one, shown({ standings: [one] })])
      }
    },
  ],
  [
    'trouble is on top in every order, and its heading and those of the nights count the rows beneath them',
    (told) => {
      for (const sort of ['found', 'name', 'state'] as const)
        for (const descending of [true, false]) {
          const asked = { sort, descending, pinned: true }
          const { rows, total } = ask(told, asked)
          const outline = outlineOf(told, asked)
          const plain = ask(told, { sort, descending }).rows
          const needs = (row: Recording) => truthOf(row, told) === 'needs-someone'
          const ids = rows.map(({ id }) => id)
          expect(ids).toEqual(
            [...plain.filter(needs), ...plain.filter((row) => !needs(row))].map(({ id }) => id),
          )
          expect([outline.pinned, total]).toEqual([plain.filter(needs).length, plain.length])
          const beneath = outline.nights.flatMap(({ day, count }) => Array<string>(count).fill(day))
          const nights = rows.slice(outline.pinned).map(({ foundAtMs }) => nightAt(foundAtMs).name)
          expect(beneath).toEqual(sort === 'found' ? nights : [])
          // In pieces it is the same list, and each row is where it is said to be.
          const pieces = [0, 3, 6].flatMap((offset) => ask(told, { ...asked, offset, limit: 3 }).rows)
          expect(pieces.map(({ id }) => id)).toEqual(ids.slice(0, 9))
          for (const index of [0, outline.pinned, ids.length - 1]) {
            const id = ids[index]
            if (id === undefined) continue
            const order = calls.locateRecording.args.parse({ ...asked, id })
            expect([index, told.journal.list.indexOf(order, told.view)]).toEqual([index, index])
          }
        }
      for (const narrowing of narrowings(told)) {
        const { rows } = ask(told, narrowing)
        expect(
          outlineOf(told, narrowing).nights.flatMap(({ day, count }) => Array<string>(count).fill(day)),
        ).toEqual(rows.map(({ foundAtMs }) => nightAt(foundAtMs).name))
      }
    },
  ],
  [
    'nothing is called safe that is not processed in the service now in use',
    (told) => {
      for (const { state, service } of listed(told, ['safe']).rows) {
        expect([state, service]).toEqual(['processed', told.journal.station.service()])
        expect(told.journal.station.refusedKey()).toBeNull()
      }
    },
  ],
  [
    'the tallies that are kept are what counting would give',
    ({ status, all }) => {
      const counted = (state: RecordingState) => all.filter((recording) => recording.state === state).length
      expect(status.counts).toEqual(
        Object.fromEntries(recordingStates.map((state) => [state, counted(state)])),
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
      const { waiting, uploading, 'at-service': atService } = status.standings
      expect(status.folders.reduce((sum, folder) => sum + folder.waiting, 0)).toBe(
        waiting + uploading + atService,
      )
      for (const { path, recordings, lastFoundAt } of status.folders) {
        const here = all.filter(({ folder }) => folder === path)
        expect([path, recordings]).toEqual([path, here.length])
        const last = here.length === 0 ? null : Math.max(...here.map(({ foundAtMs }) => foundAtMs))
        expect(lastFoundAt === null ? null : Date.parse(lastFoundAt)).toBe(last)
      }
    },
  ],
  [
    'whose job it is adds up, and every recording that needs someone is on a card',
    ({ status }) => {
      const { needs, needPerson, standings: figures } = status
      expect(needPerson).toBe(figures['needs-someone'])
      expect(needs.technician + needs.admin + needs.service).toBe(needPerson)
      const onCards = (passes: boolean) =>
        status.problems
          .filter(({ problem }) => needsSomebody(problem) !== passes)
          .reduce((sum, { count }) => sum + count, 0)
      expect(onCards(false)).toBeLessThanOrEqual(needPerson)
      expect(onCards(false) + onCards(true)).toBeGreaterThanOrEqual(needPerson)
    },
  ],
  [
    'the headline and the tray say nothing else, and green is for all safe',
    ({ status, all, paused }) => {
      const { headline, state } = status.station
      expect(trayLine({ status, health: { state: 'running', restarts: 0 } })).toBe(headline)
      const isAllSafe = all.length > 0 && status.standings.safe === all.length
      expect([headline, /^(All|The one)/.test(headline)]).toEqual([headline, isAllSafe && !paused])
      expect([headline, state === 'idle']).toEqual([headline, isAllSafe && !paused])
      const safe = numbersIn(/([\d,]+) of ([\d,]+) (?:is|are) safe/, headline)
      if (safe !== null) expect(safe).toEqual([status.standings.safe, all.length])
      expect(numbersIn(/([\d,]+) recordings? needs? /, headline) ?? [0]).toEqual([status.needPerson])
    },
  ],
]

test('for any journal that the program can write, all that is shown is one truth', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const clock = { nowMs: NOW_MS }
      const { journal, close } = openTempJournal(() => clock.nowMs)
      try {
        if (hall === undefined || track === undefined) throw new Error('two folders are needed')
        writeStory(journal, clock, [hall, track], story)
        const paused = journal.station.paused() !== null
        const view = { service: journal.station.serviceInUse(), sending: !paused }
        const status = takeSnapshot({
          journal,
          progress: new Progress({ wallMs: () => NOW_MS, monotonicMs: () => 0 }),
          settings,
          view,
          ...calmSources,
          outlook: quietOutlook(journal),
          nowMs: NOW_MS,
        })
        const told = { journal, view, status, all: journal.views.everything(), paused }
        for (const [promise, holds] of promises) {
          try {
            holds(told)
          } catch (error) {
            throw new Error(`not kept: ${promise}`, { cause: error })
          }
        }
      } finally {
        close()
      }
    }),
    { numRuns: 30 },
  )
})
