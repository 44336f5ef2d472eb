import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { orgs } from '../../server/store/orgs.ts'
import { sessions } from '../../server/store/sessions.ts'
import type { Store } from '../../server/store/store.ts'
import { webhooks } from '../../server/store/webhooks.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { openBothStores, openOnPostgres } from '../support/back-ends/stores.ts'
import { needs } from '../support/needs.ts'

const { engines, postgres } = openBothStores()

const session = {
  id: 'ses_1',
  org_id: 'org_1',
  site: 'hall',
  device: null,
  filename: 'a.bin',
  notes: null,
  bytes: 1,
  part_size: 1,
  sha256: '',
  created_at: 1,
}

/** Replaces all deliveries by one delivery per endpoint and time. */
const replaceDeliveries = (store: Store, timesByEndpoint: readonly (readonly number[])[]) =>
  store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    yield* sessions.remove('ses_1')
    yield* sessions.insert(session)
    for (const [n, times] of timesByEndpoint.entries()) {
      const endpointId = `whe_${n}`
      const endpoint = { url: 'https://lab.example', events: '[]', secret: 's', created_at: 1 }
      yield* webhooks.deleteEndpoint(endpointId)
      yield* webhooks.addEndpoint({ ...endpoint, id: endpointId, org_id: 'org_1' })
      for (const [turn, now] of times.entries())
        yield* webhooks.addDelivery({
          endpointId,
          sessionId: 'ses_1',
          eventId: `${n}-${turn}`,
          body: '{}',
          now,
        })
    }
  })

describe.each(engines)('the queue of deliveries on %s', (_, open, options) => {
  test(
    'takes the endpoints in turn, and the earliest deliveries of each endpoint first',
    options,
    async () => {
      const store = await open()
      const time = fc.integer({ min: 1, max: 12 })
      const timesByEndpoint = fc.array(fc.array(time, { maxLength: 8 }), { minLength: 4, maxLength: 4 })
      const check = async (times: readonly (readonly number[])[], now: number, limit: number) => {
        await replaceDeliveries(store, times)
        const expectedIds = times
          .map((row, n) => row.map((at, order) => ({ at, order, id: `${n}-${order}`, n })))
          .flatMap((row) =>
            row
              .filter(({ at }) => at <= now)
              .toSorted((a, b) => a.at - b.at || a.order - b.order)
              .map((delivery, turn) => ({ ...delivery, turn })),
          )
          .toSorted((a, b) => a.turn - b.turn || a.at - b.at || a.n - b.n)
          .map(({ id }) => id)
          .slice(0, limit)
        const due = await store.read(webhooks.due(now, limit))
        expect(due.map(({ event_id }) => event_id)).toEqual(expectedIds)
      }
      await fc.assert(fc.asyncProperty(timesByEndpoint, time, fc.integer({ min: 1, max: 20 }), check), {
        numRuns: 40,
      })
    },
  )
})

type PlanNode = {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

const countRows = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, each) => sum + countRows(each), 0)

const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: postgres().url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe('the queue of deliveries on PostgreSQL', needs(postgresql), () => {
  test('reads few rows, however many deliveries are due', async () => {
    const store = await openOnPostgres(postgres().url)
    await replaceDeliveries(store, [[1], [2], []])
    const client = await connect()
    await client.query(
      `INSERT INTO deliveries (endpoint_id, session_id, event_id, body, created_at, next_attempt_at)
       SELECT 'whe_0', 'ses_1', 'e', '{}', n, n FROM generate_series(1, 20000) AS n`,
    )
    // In production, the autovacuum daemon of PostgreSQL analyzes the table within a minute.
    await client.query('ANALYZE deliveries')
    let rowCount = 0
    const steps = webhooks.due(30_000, 40)
    for (let step = steps.next(); step.done !== true; ) {
      const { sql, params } = step.value
      const text = sql.replace(/@(\w+)/g, (_, name: string) => client.escapeLiteral(String(params[name])))
      const plan = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`)
      rowCount += countRows(plan.rows[0]['QUERY PLAN'][0].Plan)
      const { rows } = await client.query(text)
      step = steps.next({ rows, changes: 0 })
    }
    expect(rowCount).toBeLessThan(1_000)
  })

  test('lets an operator delete an endpoint while a finishing session adds a delivery for this endpoint', async () => {
    const store = await openOnPostgres(postgres().url)
    await replaceDeliveries(store, [[1]])
    const finishing = await connect()
    await finishing.query('BEGIN')
    await finishing.query(
      `INSERT INTO deliveries (endpoint_id, session_id, event_id, body, created_at, next_attempt_at)
       VALUES ('whe_0', 'ses_1', 'e', '{}', 2, 2)`,
    )
    const deletion = store.write(() => webhooks.deleteEndpoint('whe_0'))
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    const observer = await connect()
    await expect.poll(async () => (await observer.query(waiting)).rowCount).toBe(1)
    await finishing.query('COMMIT')
    expect(await deletion).toBe('org_1')
    expect(await store.read(webhooks.queue())).toEqual({ pending: 0, nextAt: null })
  })
})
