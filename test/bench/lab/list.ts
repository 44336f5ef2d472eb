import pg from 'pg'
import { type Bench, type Figure, measureMs } from '../figure.ts'
import { type Lab, missingForLab, withLab } from './lab.ts'

const sites = 50
const answersPerQuery = 30
const maxMs = 50

/** Inserts sessions that were created one minute apart. One session in a thousand has failed. */
const fill = (sessions: number) => `
  ALTER TABLE sessions DISABLE TRIGGER USER;
  INSERT INTO sessions (id, org_id, site, filename, bytes, sha256, part_size, status, created_at, processed_at, channels)
    SELECT 'ses_' || n, (SELECT id FROM orgs), 'hall-' || n % ${sites}, 'run-' || n || '.mcap', 1000000,
      repeat('0', 64), 1000000, CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'processed' END, n::bigint * 60000,
      n::bigint * 60000, '["camera.front","imu"]'
    FROM generate_series(1, ${sessions}) AS n;
  ALTER TABLE sessions ENABLE TRIGGER USER;
  ANALYZE sessions`

/** Measures, over HTTP, how long the server needs for a page of 50 sessions, with various filters. */
export const benchList: Bench = async ({ journalRows: sessions }) => {
  const missing = missingForLab('folder')
  if (missing !== null) return [{ what: 'a page of the list of sessions', missing }]
  return withLab('folder', async (lab) => {
    const client = new pg.Client({ connectionString: lab.postgres.url })
    await client.connect()
    await client.query(fill(sessions))
    await client.end()
    const iso = (share: number) => new Date(Math.floor(sessions * share) * 60_000).toISOString()
    const queries: Record<string, string> = {
      'without a filter': '',
      'of one site': 'site=hall-7',
      'of failed sessions': 'status=failed',
      'of failed sessions of one site': 'status=failed&site=hall-0',
      'of an unknown site': 'site=nowhere',
      'created before the middle': `created[lt]=${iso(0.5)}`,
      'created on one day in the middle': `created[gte]=${iso(0.5)}&created[lt]=${iso(0.5 + 1440 / sessions)}`,
      'of one site, created before the middle': `site=hall-7&created[lt]=${iso(0.5)}`,
      'of failed sessions, created before the middle': `status=failed&created[lt]=${iso(0.5)}`,
    }
    const { next_cursor: cursor } = await fetchPage(lab, `created[lt]=${iso(0.5)}`)
    queries['far down the list, by its cursor'] = `cursor=${encodeURIComponent(cursor ?? '')}`
    const figures: Figure[] = []
    for (const [name, query] of Object.entries(queries))
      figures.push({
        what: `a page of 50 of ${sessions} sessions, ${name}`,
        unit: 'ms',
        ours: await measurePage(lab, query),
        reference: null,
        goal: { kind: 'own', atMost: maxMs },
      })
    return figures
  })
}

type Page = { readonly next_cursor?: string }

/** Does not count the first request for a page, because it makes the server prepare the SQL. */
const measurePage = async (lab: Lab, query: string): Promise<number[]> => {
  const times: number[] = []
  for (let n = 0; n <= answersPerQuery; n += 1) {
    const ms = await measureMs(() => fetchPage(lab, query))
    if (n > 0) times.push(ms)
  }
  return times
}

const fetchPage = async ({ server, headers }: Lab, query: string): Promise<Page> => {
  const answer = await fetch(`${server.baseUrl}/v1/sessions?${query}`, { headers })
  if (!answer.ok) throw new Error(`The server answered the request for a list with status ${answer.status}.`)
  return (await answer.json()) as Page
}
