import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type SessionFilter, sessions } from '../../../../server/store/sessions.ts'
import { openDatabase } from '../../../../server/store/sqlite/open.ts'
import { all, type Steps } from '../../../../server/store/steps.ts'
import { webhooks } from '../../../../server/store/webhooks.ts'

/** Returns SQLite's plan for each query of these steps. */
const planOf = async (steps: Steps<unknown>): Promise<string[]> => {
  const root = await mkdtemp(path.join(tmpdir(), 'list-plans-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const opened = openDatabase(path.join(root, 'server.db'), { access: 'exclusive', mayMigrate: true })
  if (opened.kind !== 'open') throw new Error(opened.kind)
  const details: string[] = []
  // A fake answer to every query. Only the query for the ends of a time range reads it.
  const result = { rows: [{ after_seq: 1, before_seq: 9 }], changes: 0 }
  for (let turn = steps.next(); turn.done !== true; turn = steps.next(result)) {
    const { sql, params } = turn.value
    const plan = opened.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params) as { detail: string }[]
    details.push(...plan.map(({ detail }) => detail))
  }
  opened.db.close()
  return details
}

const ofSessions = (plan: readonly string[]) => plan.filter((detail) => /sessions|B-TREE/.test(detail))

const listed = (filter: Partial<SessionFilter>) => sessions.list({ orgId: 'org_1', limit: 50, ...filter })
const range = { createdGte: 1, createdLt: 2 }
const ends = [
  'SEARCH sessions USING COVERING INDEX sessions_by_time (org_id=? AND created_at<?)',
  'SEARCH sessions USING COVERING INDEX sessions_by_time (org_id=? AND created_at>?)',
]
const found = (index: string, columns: string) => `SEARCH sessions USING INDEX ${index} (${columns})`

test.each([
  [{}, [found('sessions_by_org', 'org_id=?')]],
  [{ beforeSeq: 9 }, [found('sessions_by_org', 'org_id=? AND seq<?')]],
  [{ site: 'a' }, [found('sessions_by_site', 'org_id=? AND site=?')]],
  [{ status: 'failed' }, [found('sessions_by_status', 'status=? AND org_id=?')]],
  [
    { site: 'a', status: 'processed' },
    [found('sessions_by_site_and_status', 'org_id=? AND site=? AND status=?')],
  ],
  [range, [...ends, found('sessions_by_org', 'org_id=? AND seq>? AND seq<?')]],
  [{ ...range, site: 'a' }, [...ends, found('sessions_by_site', 'org_id=? AND site=? AND seq>? AND seq<?')]],
  [
    { ...range, status: 'failed' },
    [...ends, found('sessions_by_status', 'status=? AND org_id=? AND seq>? AND seq<?')],
  ],
  [
    { ...range, site: 'a', status: 'failed' },
    [...ends, found('sessions_by_site_and_status', 'org_id=? AND site=? AND status=? AND seq>? AND seq<?')],
  ],
] as const)(
  'a list with the filter %j finds its sessions with an index, and needs no sorting',
  async (filter, plan) => {
    expect(ofSessions(await planOf(listed(filter)))).toEqual(plan)
  },
)

test.each([
  ['abandoned uploads', sessions.abandoned(1, 0, 100)],
  ['sessions that are due for processing', sessions.dueForProcessing(1, 100)],
  ['the next session to process', sessions.nextProcessingAfter(1)],
])('a search for %s reads only sessions with a matching status', async (_, steps) => {
  expect(ofSessions(await planOf(steps)).join()).toMatch(
    /SEARCH sessions USING (COVERING )?INDEX sessions_\w+ \(status=\?/,
  )
})

test('a search for due deliveries sorts no deliveries', async () => {
  const plan = await planOf(webhooks.due(1, 40))
  const searches = plan.filter((detail) => / d\b/.test(detail))
  expect(searches.length).toBeGreaterThan(1)
  for (const search of searches)
    expect(search).toMatch(
      /^SEARCH d USING (COVERING )?INDEX deliveries_by_endpoint \(endpoint_id=\? AND next_attempt_at<\?\)$/,
    )
  // Only the endpoints are sorted.
  expect(plan.filter((detail) => detail.includes('B-TREE'))).toHaveLength(1)
})

test('the deletion of a session or an endpoint reads only its own deliveries', async () => {
  // The cascade of the database finds the deliveries with the same indexes as these queries.
  const indexed = (column: string) => `SEARCH deliveries USING INDEX deliveries_by_${column}`
  expect(await planOf(all('SELECT * FROM deliveries WHERE session_id = @id', { id: '' }))).toEqual([
    `${indexed('session')} (session_id=?)`,
  ])
  expect(await planOf(all('SELECT * FROM deliveries WHERE endpoint_id = @id', { id: '' }))).toEqual([
    `${indexed('endpoint')} (endpoint_id=?)`,
  ])
})
