import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureCreatedLags } from '../../server/store/created-lag.ts'
import { orgs } from '../../server/store/orgs.ts'
import { type SessionFilter, sessions } from '../../server/store/sessions.ts'
import { openBothStores } from '../support/back-ends/stores.ts'

const { engines } = openBothStores()

/** Multiples of 100 s, because `measureCreatedLags` skips organisations with a lag of up to 60 s. */
const time = fc.integer({ min: 0, max: 40 }).map((n) => n * 100_000)
const site = fc.constantFrom('hall', 'roof')
const status = fc.constantFrom('uploading' as const, 'processing' as const)
/** In any order, or in ascending order, as with correct clocks. */
const createdTimes = fc.oneof(
  fc.array(time, { maxLength: 30 }),
  fc.array(time, { maxLength: 30 }).map((times) => times.toSorted((a, b) => a - b)),
)

describe.each(engines)('the list of sessions on %s', (_, open, options) => {
  test(
    'has every session of a time range, however wrong the clocks of the instances were',
    options,
    async () => {
      const store = await open()
      let orgCount = 0
      const check = async (
        times: readonly number[],
        details: readonly { readonly site: string; readonly status: string; readonly isDeleted: boolean }[],
        wanted: Pick<SessionFilter, 'site' | 'status' | 'createdGte' | 'createdLt'>,
        isMeasuredLast: boolean,
      ) => {
        orgCount += 1
        const orgId = `org_${orgCount}`
        const created = times.map((createdAt, n) => ({ id: `${orgId}-${n}`, createdAt, ...details[n]! }))
        await store.write(() => orgs.add(orgId, 'Lab'))
        const add = function* (rows: typeof created) {
          for (const { id, createdAt, site, status, isDeleted } of rows) {
            const content = {
              filename: 'Übung a.bin',
              bytes: 1,
              sha256: '',
              part_size: 1,
              device: null,
              notes: null,
            }
            yield* sessions.insert({ ...content, id, org_id: orgId, site, created_at: createdAt })
            if (status === 'processing') yield* sessions.startProcessing(id, createdAt)
            if (isDeleted) yield* sessions.remove(id)
          }
        }
        await store.write(() => add(created.slice(0, 15)))
        await measureCreatedLags(store, () => false)
        // The running server measures while stations add sessions.
        await Promise.all([measureCreatedLags(store, () => false), store.write(() => add(created.slice(15)))])
        if (isMeasuredLast) await measureCreatedLags(store, () => false)
        const expectedIds = created
          .filter(({ isDeleted }) => !isDeleted)
          .filter((session) => wanted.site === undefined || session.site === wanted.site)
          .filter((session) => wanted.status === undefined || session.status === wanted.status)
          .filter(({ createdAt }) => createdAt >= (wanted.createdGte ?? -Infinity))
          .filter(({ createdAt }) => createdAt < (wanted.createdLt ?? Infinity))
          .map(({ id }) => id)
          .toReversed()
        const listedIds: string[] = []
        for (let cursor = {}; ; ) {
          const page = await store.read(sessions.list({ orgId, limit: 4, ...wanted, ...cursor }))
          if (page.length === 0) break
          listedIds.push(...page.map(({ id }) => id))
          cursor = { beforeSeq: page.at(-1)!.seq }
        }
        expect(listedIds).toEqual(expectedIds)
        const found = await store.read(sessions.search({ orgId, limit: 100, ...wanted }, 'Übung a.BIN', 100))
        expect(found.rows.map(({ id }) => id)).toEqual(expectedIds)
      }
      const detail = fc.record({
        site,
        status,
        isDeleted: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
      })
      const wanted = fc.record({ site, status, createdGte: time, createdLt: time }, { requiredKeys: [] })
      const details = fc.array(detail, { minLength: 30, maxLength: 30 })
      await fc.assert(fc.asyncProperty(createdTimes, details, wanted, fc.boolean(), check), { numRuns: 60 })
    },
  )
})
