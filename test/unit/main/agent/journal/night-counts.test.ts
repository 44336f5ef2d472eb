import path from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { nightCounts } from '../../../../../main/agent/journal/night-counts.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { nightAt } from '../../../../../shared/status/nights.ts'
import { runs } from '../../../../support/runs.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'

const NOW_MS = new Date(2026, 2, 12, 7, 42).getTime()
const HOUR_MS = 3_600_000
const MAX_HOURS_AGO = 24 * 60

type Change =
  | { readonly kind: 'found'; readonly hoursAgo: number }
  | { readonly kind: 'moved'; readonly which: number; readonly hoursAgo: number }
  | { readonly kind: 'removed'; readonly which: number }

/** One step of a test. If `reads` is true, the test also compares the counts inside the transaction. */
type Step =
  | { readonly kind: 'first-connection' | 'second-connection'; readonly change: Change }
  | {
      readonly kind: 'transaction'
      readonly changes: readonly Change[]
      readonly reads: boolean
      readonly commits: boolean
    }
  | { readonly kind: 'read' }

const hoursAgo = fc.integer({ min: 0, max: MAX_HOURS_AGO })
const which = fc.nat()
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('found' as const), hoursAgo }),
  fc.record({ kind: fc.constant('moved' as const), which, hoursAgo }),
  fc.record({ kind: fc.constant('removed' as const), which }),
)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('first-connection' as const, 'second-connection' as const), change }),
  fc.record({
    kind: fc.constant('transaction' as const),
    changes: fc.array(change, { minLength: 1, maxLength: 5 }),
    reads: fc.boolean(),
    commits: fc.boolean(),
  }),
  fc.constant({ kind: 'read' as const }),
)

/** A journal with one recording, opened by two connections. */
const openTwice = () => {
  const { journal, folder, close } = openTempJournal(() => NOW_MS)
  const [watched] = settingsSchema.parse({
    service: { base_url: 'https://api.example.com' },
    folders: [{ path: '/rec', site: 'Hall 3' }],
  }).folders
  const identity = { device: '1', inode: '1', sizeBytes: 1_000, mtimeNs: '1', ctimeNs: '1' }
  journal.recordings.add({ path: '/rec/take', identity }, watched!, { findSessionFirst: false })
  const [ours, theirs] = [1, 2].map(() => new Database(path.join(folder, 'journal.db')))
  const closeAll = () => {
    ours!.close()
    theirs!.close()
    close()
  }
  return { ours: ours!, theirs: theirs!, closeAll }
}

const apply = (db: Database.Database, change: Change, n: number): void => {
  const ids = db.prepare('SELECT id FROM recordings ORDER BY id').pluck().all() as number[]
  // The first recording stays, because all others are copies of it.
  const idAt = (which: number) => ids[1 + (which % Math.max(1, ids.length - 1))] ?? null
  switch (change.kind) {
    case 'found': {
      const columns = (db.pragma('table_info(recordings)') as { readonly name: string }[]).map(
        ({ name }) => name,
      )
      const values = columns.map((name) => {
        if (name === 'id') return 'NULL'
        if (name === 'found_at') return String(NOW_MS - change.hoursAgo * HOUR_MS)
        return name === 'path' || name === 'path_key' ? `${name} || '.${n}'` : name
      })
      db.exec(
        `INSERT INTO recordings (${columns.join(', ')}) SELECT ${values.join(', ')} FROM recordings WHERE id = ${ids[0]}`,
      )
      return
    }
    case 'moved':
      db.prepare('UPDATE recordings SET found_at = ? WHERE id = ?').run(
        NOW_MS - change.hoursAgo * HOUR_MS,
        idAt(change.which),
      )
      return
    case 'removed':
      db.prepare('DELETE FROM recordings WHERE id = ?').run(idAt(change.which))
      return
  }
}

const readCached = (db: Database.Database): Record<string, number> =>
  Object.fromEntries(
    [...nightCounts(db)].filter(({ count }) => count > 0).map(({ night, count }) => [night.name, count]),
  )

/** Counts every recording without the cache. */
const countAll = (db: Database.Database): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const atMs of db.prepare('SELECT found_at FROM recordings').pluck().all() as number[]) {
    const { name } = nightAt(atMs)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

class Rollback extends Error {}

test('the cached night counts equal a full count after any additions, moves, removals and rollbacks', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      const { ours, theirs, closeAll } = openTwice()
      let n = 0
      const nextNumber = () => {
        n += 1
        return n
      }
      try {
        for (const step of steps) {
          switch (step.kind) {
            case 'first-connection':
              apply(ours, step.change, nextNumber())
              break
            case 'second-connection':
              apply(theirs, step.change, nextNumber())
              break
            case 'transaction':
              try {
                ours.transaction(() => {
                  for (const change of step.changes) apply(ours, change, nextNumber())
                  if (step.reads) expect(readCached(ours)).toEqual(countAll(ours))
                  if (!step.commits) throw new Rollback()
                })()
              } catch (error) {
                if (!(error instanceof Rollback)) throw error
              }
              break
            case 'read':
              expect(readCached(ours)).toEqual(countAll(ours))
          }
        }
        expect(readCached(ours)).toEqual(countAll(ours))
      } finally {
        closeAll()
      }
    }),
    { numRuns: runs(60) },
  )
}, 120_000)

test('counts all nights again after changes in very many quarter hours, even after a rollback', () => {
  const { ours, closeAll } = openTwice()
  onTestFinished(closeAll)
  expect(readCached(ours)).toEqual(countAll(ours))
  const addMany = () => {
    for (let n = 1; n <= 1100; n += 1) apply(ours, { kind: 'found', hoursAgo: n }, n)
  }
  expect(() =>
    ours.transaction(() => {
      addMany()
      expect(readCached(ours)).toEqual(countAll(ours))
      throw new Rollback()
    })(),
  ).toThrow(Rollback)
  expect(readCached(ours)).toEqual(countAll(ours))
  addMany()
  expect(readCached(ours)).toEqual(countAll(ours))
})

test('counts nights again after the time zone changes', () => {
  const originalZone = process.env.TZ
  const { ours, closeAll } = openTwice()
  onTestFinished(() => {
    closeAll()
    if (originalZone === undefined) delete process.env.TZ
    else process.env.TZ = originalZone
  })
  for (let n = 1; n <= 48; n += 1) apply(ours, { kind: 'found', hoursAgo: n }, n)
  // Two of these zones differ only in summer, so add recordings in both seasons.
  apply(ours, { kind: 'found', hoursAgo: 24 * 60 }, 49)
  apply(ours, { kind: 'found', hoursAgo: -24 * 60 + 10 }, 50)
  for (const zone of ['Africa/Abidjan', 'Europe/London', 'America/Los_Angeles']) {
    process.env.TZ = zone
    expect([zone, readCached(ours)]).toEqual([zone, countAll(ours)])
  }
})
