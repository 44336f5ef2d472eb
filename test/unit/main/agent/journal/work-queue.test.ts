import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Recording } from '../../../../../main/agent/journal/journal.ts'
import { runs } from '../../../../support/runs.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const NOW = 1_000_000
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

type Made = {
  readonly foundAtMs: number
  readonly sizeBytes: number
  readonly nextAttemptAtMs: number
  readonly prioritised: boolean
  readonly paused: boolean
}

const made = fc.record({
  foundAtMs: fc.integer({ min: 1, max: 5 }),
  sizeBytes: fc.constantFrom(0, 1, MIB - 1, MIB, 8 * MIB),
  nextAttemptAtMs: fc.constantFrom(0, 1, NOW, NOW + 1),
  prioritised: fc.boolean(),
  paused: fc.boolean(),
})

const add = (journal: TempJournal['journal'], many: readonly Made[]): Recording[] =>
  many.map(({ foundAtMs, sizeBytes, ...facts }, index) => {
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

test('returns due rows of a size class, prioritised first, then oldest first, without those in progress', () => {
  const sizes = fc.constantFrom(
    { fromBytes: 0, belowBytes: Number.MAX_SAFE_INTEGER },
    { fromBytes: 0, belowBytes: MIB },
    { fromBytes: MIB, belowBytes: Number.MAX_SAFE_INTEGER },
  )
  const limit = fc.integer({ min: 0, max: 12 })
  const inProgress = fc.array(fc.nat(11), { maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(made, { maxLength: 12 }),
      sizes,
      limit,
      inProgress,
      (many, { fromBytes, belowBytes }, most, indexes) => {
        const one = openTempJournal(() => wallMs)
        try {
          const all = add(one.journal, many)
          const except = indexes.flatMap((index) => all[index]?.id ?? [])
          const wanted = all.filter(
            ({ id, paused, nextAttemptAtMs, identity: { sizeBytes } }) =>
              !paused &&
              nextAttemptAtMs <= NOW &&
              sizeBytes >= fromBytes &&
              sizeBytes < belowBytes &&
              !except.includes(id),
          )
          expect(one.journal.work.due('growing', NOW, most, except, { fromBytes, belowBytes })).toEqual(
            wanted.toSorted(byPriority).slice(0, most),
          )
          expect([
            ...one.journal.work.idsIn(
              'growing',
              all.map(({ id }) => id),
            ),
          ]).toEqual(all.filter(({ paused }) => !paused).map(({ id }) => id))
        } finally {
          one.close()
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('does not list a recording that has left the state', () => {
  const [first, second] = add(temp.journal, [
    { foundAtMs: 1, sizeBytes: 1, nextAttemptAtMs: 0, prioritised: false, paused: false },
    { foundAtMs: 2, sizeBytes: 1, nextAttemptAtMs: 0, prioritised: false, paused: false },
  ])
  temp.journal.recordings.transition(first!.id, 'growing', { kind: 'settled' }, { reason: 'still' })
  expect(temp.journal.work.idsIn('growing', [first!.id, second!.id, 99])).toEqual(new Set([second!.id]))
})

test('a transition from an outdated state changes nothing', () => {
  const [one] = add(temp.journal, [
    { foundAtMs: 1, sizeBytes: 1, nextAttemptAtMs: 0, prioritised: false, paused: false },
  ])
  const { recordings, views } = temp.journal
  recordings.transition(one!.id, 'growing', { kind: 'settled' }, { reason: 'still' })
  const before = recordings.byId(one!.id)
  const late = recordings.transition(one!.id, 'growing', { kind: 'settled' }, { reason: 'too late' })
  expect(late).toBeNull()
  expect(recordings.byId(one!.id)).toEqual(before)
  expect(JSON.stringify(views.timeline(one!.id))).not.toContain('too late')
})
