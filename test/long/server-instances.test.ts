import { Agent } from 'node:http'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Session } from '../../shared/contract/control-api.ts'
import { send } from '../contract/raw-http.ts'
import { newSession, patterned, sha256 } from '../contract/service.ts'
import { startWebhookReceiver } from '../contract/webhook-receiver.ts'
import { Instances } from '../support/back-ends/instances.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { needs } from '../support/needs.ts'

const openInstances = async (): Promise<Instances> => {
  const instances = await Instances.open()
  onTestFinished(() => instances.close())
  return instances
}

const jsonHeaders = (key: string, extraHeaders: Record<string, string> = {}) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...extraHeaders,
})

describe('several instances on one database', needs(postgresql), () => {
  test('process every recording once while they are killed one after the other', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    await instances.start()
    await instances.start()
    const client = new RetryingClient(instances.baseUrl, key)
    const hook = await startWebhookReceiver()
    onTestFinished(() => hook.close())
    const events = ['session.processed', 'session.failed']
    await client.call('POST', '/v1/webhook_endpoints', { url: hook.url, events })

    const recordings = Array.from({ length: 60 }, (_, n) => patterned(2_500, n + 1))
    const ids: string[] = []
    const remaining = recordings.entries()
    const runStation = async () => {
      for (const [n, bytes] of remaining) {
        const id = await client.upload(bytes, `run-${n}.bin`)
        ids.push(id)
        // Three times, the test starts a new instance and then kills the oldest while it is busy.
        if (n % 20 === 10) {
          const [oldest] = instances.running
          await instances.start()
          await instances.kill(oldest!)
        }
      }
    }
    await Promise.all([runStation(), runStation(), runStation(), runStation(), runStation(), runStation()])
    const sessions = await Promise.all(ids.map((id) => client.waitUntilProcessed(id)))

    expect(sessions.map(({ status }) => status)).toEqual(recordings.map(() => 'processed'))
    const list = (await client.call('GET', '/v1/sessions?limit=500')).json().data as Session[]
    expect(list.map(({ sha256: digest }) => digest).sort()).toEqual(
      recordings.map((recording) => sha256(recording)).sort(),
    )
    // The service may deliver an event several times, so the test counts event IDs and not deliveries.
    const eventIds = () => new Map(hook.deliveries.map(({ event }) => [event.id, event.data.object.id]))
    await expect.poll(() => eventIds().size).toBe(recordings.length)
    expect([...eventIds().values()].sort()).toEqual([...ids].sort())
  })

  test('finish the recordings that a killed instance had accepted', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    const first = await instances.start()
    const client = new RetryingClient(instances.baseUrl, key)
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client.upload(patterned(2_500, n + 1), `run-${n}.bin`)),
    )
    await instances.kill(first)
    await instances.start()
    for (const id of ids) expect((await client.waitUntilProcessed(id)).status).toBe('processed')
  })

  test('answer every request of clients with open connections during a rolling restart', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    const flags = ['--drain-delay-s', '2']
    for (let n = 0; n < 2; n += 1) await instances.start(...flags)
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const failures: string[] = []
    let answers = 0
    let isRestarting = true
    const runClient = async () => {
      while (isRestarting) {
        const url = `${instances.baseUrl}/v1/sessions?limit=1`
        const request = { method: 'GET', url, headers: jsonHeaders(key) }
        const status = await send(request, agent).then(({ status }) => status, String)
        if (status === 200) answers += 1
        else failures.push(String(status))
      }
    }
    const clients = Promise.all([runClient(), runClient(), runClient(), runClient()])
    const codes: (number | null)[] = []
    for (let n = 0; n < 2; n += 1) {
      const [oldest] = instances.running
      await instances.start(...flags)
      codes.push(await instances.stop(oldest!))
    }
    isRestarting = false
    await clients
    expect([failures, codes]).toEqual([[], [0, 0]])
    expect(answers).toBeGreaterThan(100)
  })

  test('give one answer to an Idempotency-Key that arrives at two instances at the same time', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    const instancePair = [await instances.start(), await instances.start()]
    for (let n = 0; n < 20; n += 1) {
      const body = JSON.stringify(newSession(patterned(2_500, n + 1)))
      const headers = jsonHeaders(key, { 'idempotency-key': `same-${n}` })
      const answers = await Promise.all(
        instancePair.map(({ baseUrl }) =>
          send({ method: 'POST', url: `${baseUrl}/v1/sessions`, headers, body }),
        ),
      )
      const sessionIds = answers.filter(({ status }) => status === 200).map((answer) => answer.json().id)
      expect(new Set(sessionIds).size).toBe(1)
      for (const { status } of answers) expect([200, 409]).toContain(status)
    }
    const list = await send({
      method: 'GET',
      url: `${instances.baseUrl}/v1/sessions`,
      headers: jsonHeaders(key),
    })
    expect((list.json().data as unknown[]).length).toBe(20)
  })

  test('put new sessions only on top of the list, even if two instances create them at the same time', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    await instances.start()
    const client = new RetryingClient(instances.baseUrl, key)
    const database = new pg.Client({ connectionString: instances.postgres.url })
    await database.connect()
    onTestFinished(() => database.end())
    // This connection stands for a second instance: it locks the organisation, and commits its new session later.
    await database.query('BEGIN')
    const { rows } = await database.query<{ id: string }>('SELECT id FROM orgs FOR NO KEY UPDATE')
    const creation = client.call('POST', '/v1/sessions', newSession(patterned(2_500)))
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    const observer = new pg.Client({ connectionString: instances.postgres.url })
    await observer.connect()
    onTestFinished(() => observer.end())
    await expect.poll(async () => (await observer.query(waiting)).rowCount).toBe(1)
    const values = [rows[0]!.id, Date.now()]
    await database.query(
      `INSERT INTO sessions (id, org_id, site, filename, bytes, sha256, part_size, status, created_at)
       VALUES ('ses_other', $1, 'hall', 'a.bin', 1, '', 1, 'uploading', $2)`,
      values,
    )
    await database.query('COMMIT')
    const { id } = (await creation).json() as { id: string }
    const list = (await client.call('GET', '/v1/sessions')).json().data as Session[]
    expect(list.map((session) => session.id)).toEqual([id, 'ses_other'])
    expect(list[0]!.created_at >= list[1]!.created_at).toBe(true)
  })

  test('share one request count per key', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    const instancePair = [
      await instances.start('--rate-limit', '10'),
      await instances.start('--rate-limit', '10'),
    ]
    const statuses: number[] = []
    for (let n = 0; n < 8; n += 1)
      for (const { baseUrl } of instancePair)
        statuses.push(
          (await send({ method: 'GET', url: `${baseUrl}/v1/sessions`, headers: jsonHeaders(key) })).status,
        )
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(6)
  })

  test('complete a session once if two instances get the completion request at the same time', async () => {
    const instances = await openInstances()
    const key = await instances.newKey()
    const instancePair = [await instances.start(), await instances.start()]
    const client = new RetryingClient(instances.baseUrl, key)
    for (let n = 0; n < 10; n += 1) {
      const bytes = patterned(4_000, n + 1)
      const body = newSession(bytes)
      const created = (await client.call('POST', '/v1/sessions', body)).json() as {
        id: string
        upload: { parts: { number: number; url: string }[] }
      }
      const etags: { number: number; etag: string }[] = []
      for (const { number, url } of created.upload.parts) {
        const part = bytes.subarray((number - 1) * 1_000, number * 1_000)
        const headers = { 'x-amz-checksum-sha256': sha256(part, 'base64') }
        etags.push({ number, etag: (await send({ method: 'PUT', url, headers, body: part })).headers.etag! })
      }
      const complete = ({ baseUrl }: { baseUrl: string }) =>
        send({
          method: 'POST',
          url: `${baseUrl}/v1/sessions/${created.id}/complete`,
          headers: jsonHeaders(key),
          body: JSON.stringify({ parts: etags }),
        })
      const statuses = (await Promise.all(instancePair.map(complete))).map(({ status }) => status).sort()
      expect(statuses).toEqual([200, 409])
    }
  })
})
