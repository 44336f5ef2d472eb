import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Recording } from '../../../../../main/agent/journal/journal.ts'
import { runs } from '../../../../support/runs.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const NOW_MS = 1_000_000
const MIB = 1024 * 1024

let temp: TempJournal
let wallMs = 0
beforeEach(() => {
  wallMs = 0
  temp = openTempJournal(() => wallMs)
})
afterEach(() => temp.close())

const folder = {
  path: '/rec',
  site: 'here',
  patterns: ['*'],
  ignore: [],
  settle_seconds: 1,
  subfolders: true,
} as unknown as Parameters<TempJournal['journal']['recordings']['add']>[1]

type RecordingFacts = {
  readonly foundAtMs: number
  readonly sizeBytes: number
  readonly nextAttemptAtMs: number
  readonly prioritised: boolean
  readonly paused: boolean
}

const anyFacts = fc.record({
  foundAtMs: fc.integer({ min: 1, max: 5 }),
  sizeBytes: fc.constantFrom(0, 1, MIB - 1, MIB, 8 * MIB),
  nextAttemptAtMs: fc.constantFrom(0, 1, NOW_MS, NOW_MS + 1),
  prioritised: fc.boolean(),
  paused: fc.boolean(),
})

const addRecordings = (journal: TempJournal['journal'], factsList: readonly RecordingFacts[]): Recording[] =>
  factsList.map(({ foundAtMs, sizeBytes, ...facts }, index) => {
    wallMs = foundAtMs
    const identity = { device: '1', inode: `${index}`, sizeBytes, mtimeNs: '1', ctimeNs: '1' }
    const { id } = journal.recordings.add({ path: `/rec/${index}`, identity }, folder, {
      findSessionFirst: false,
    })
    journal.recordings.patch(id, facts)
    return journal.recordings.byId(id)!
  })

const byPriority = (a: Recording, b: Recording): number =>
  Number(b.prioritised) - Number(a.prioritised) || a.foundAtMs - b.foundAtMs || a.id - b.id

test('returns the due recordings of a range of sizes that are not in progress: prioritised first, then oldest first', () => {
  const sizes = fc.constantFrom(
    { fromBytes: 0, belowBytes: Number.MAX_SAFE_INTEGER },
    { fromBytes: 0, belowBytes: MIB },
    { fromBytes: MIB, belowBytes: Number.MAX_SAFE_INTEGER },
  )
  const limit = fc.integer({ min: 0, max: 12 })
  const inProgress = fc.array(fc.nat(11), { maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(anyFacts, { maxLength: 12 }),
      sizes,
      limit,
      inProgress,
      (factsList, { fromBytes, belowBytes }, maxRows, indexes) => {
        const temporary = openTempJournal(() => wallMs)
        try {
          const all = addRecordings(temporary.journal, factsList)
          const excludedIds = indexes.flatMap((index) => all[index]?.id ?? [])
          const expectedRows = all.filter(
            ({ id, paused, nextAttemptAtMs, identity: { sizeBytes } }) =>
              !paused &&
              nextAttemptAtMs <= NOW_MS &&
              sizeBytes >= fromBytes &&
              sizeBytes < belowBytes &&
              !excludedIds.includes(id),
          )
          expect(
            temporary.journal.work.due('growing', NOW_MS, maxRows, excludedIds, { fromBytes, belowBytes }),
          ).toEqual(expectedRows.toSorted(byPriority).slice(0, maxRows))
          expect([
            ...temporary.journal.work.idsIn(
              'growing',
              all.map(({ id }) => id),
            ),
          ]).toEqual(all.filter(({ paused }) => !paused).map(({ id }) => id))
        } finally {
          temporary.close()
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('leaves out a recording that is no longer in the requested state', () => {
  const [first, second] = addRecordings(temp.journal, [
    { foundAtMs: 1, sizeBytes: 1, nextAttemptAtMs: 0, prioritised: false, paused: false },
    { foundAtMs: 2, sizeBytes: 1, nextAttemptAtMs: 0, prioritised: false, paused: false },
  ])
  temp.journal.recordings.transition(first!.id, 'growing', { kind: 'settled' }, { reason: 'unchanged' })
  expect(temp.journal.work.idsIn('growing', [first!.id, second!.id, 99])).toEqual(new Set([second!.id]))
})

test('a transition from an outdated state changes nothing', () => {
  const [recording] = addRecordings(temp.journal, [
    { foundAtMs: 1, sizeBytes: 1, nextAttemptAtMs: 0, prioritised: false, paused: false },
  ])
  const { recordings, views } = temp.journal
  recordings.transition(recording!.id, 'growing', { kind: 'settled' }, { reason: 'unchanged' })
  const before = recordings.byId(recording!.id)
  const outdated = recordings.transition(
    recording!.id,
    'growing',
    { kind: 'settled' },
    { reason: 'too late' },
  )
  expect(outdated).toBeNull()
  expect(recordings.byId(recording!.id)).toEqual(before)
  expect(JSON.stringify(views.timeline(recording!.id))).not.toContain('too late')
})
