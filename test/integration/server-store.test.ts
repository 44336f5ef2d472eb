import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { idempotency } from '../../server/store/idempotency.ts'
import { meta } from '../../server/store/meta.ts'
import { orgs } from '../../server/store/orgs.ts'
import { parts } from '../../server/store/parts.ts'
import { openPostgresStore } from '../../server/store/postgres/postgres-store.ts'
import { sessions } from '../../server/store/sessions.ts'
import { webhooks } from '../../server/store/webhooks.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { openBothStores, openOnPostgres } from '../support/back-ends/stores.ts'
import { collectOutput, endChild, endWithRunner } from '../support/child-end.ts'
import { needs } from '../support/needs.ts'

const { engines, postgres } = openBothStores()

describe.each(engines)('the store on %s', (name, open, options) => {
  const uniqueName = (text: string) => `${name} ${text}`

  test('rolls back a transaction that throws', options, async () => {
    const store = await open()
    const work = store.write(function* () {
      yield* meta.set(uniqueName('undone'), 'yes')
      throw new Error('stop')
    })
    await expect(work).rejects.toThrow('stop')
    expect(await store.read(meta.get(uniqueName('undone')))).toBeUndefined()
  })

  test.each(['ends', 'continues'])(
    'reports the error of a failed step and rolls back, even if the transaction %s after the step',
    options,
    async (then) => {
      const store = await open()
      const row = { session_id: uniqueName('none'), number: 1, file: '', bytes: 0, sha256: '', etag: '' }
      const work = store.write(function* () {
        yield* meta.set(uniqueName(`failed and ${then}`), 'yes')
        yield* parts.put(row)
        if (then === 'continues') yield* meta.get('any')
      })
      await expect(work).rejects.toThrow(/foreign key/i)
      expect(await store.read(meta.get(uniqueName(`failed and ${then}`)))).toBeUndefined()
      await store.write(() => meta.set(uniqueName('after it'), 'yes'))
    },
  )

  test('keeps the first answer to an Idempotency-Key until the key expires', options, async () => {
    const store = await open()
    const row = {
      org_id: uniqueName('org'),
      key: 'k',
      fingerprint: 'f',
      created_at: 100,
      request_id: 'r',
      answer: '1',
    }
    await store.write(() => orgs.add(uniqueName('org'), 'Lab'))
    expect(await store.write(() => idempotency.put(row, 0))).toBe(true)
    const laterRow = { ...row, created_at: 200, answer: '2' }
    expect(await store.write(() => idempotency.put(laterRow, 99))).toBe(false)
    expect((await store.read(idempotency.get(uniqueName('org'), 'k')))?.answer).toBe('1')
    expect(await store.write(() => idempotency.put(laterRow, 100))).toBe(true)
    expect((await store.read(idempotency.get(uniqueName('org'), 'k')))?.answer).toBe('2')
  })

  test('reads numbers as numbers, even above 2^32 and with fractions', options, async () => {
    const store = await open()
    const id = uniqueName('ses')
    await store.write(function* () {
      yield* orgs.add(uniqueName('org 2'), 'Lab')
      const session = {
        id,
        org_id: uniqueName('org 2'),
        site: 'hall',
        device: null,
        filename: 'a.bin',
        notes: null,
      }
      yield* sessions.insert({
        ...session,
        bytes: 5_120_000_000_000,
        part_size: 512_000_000,
        sha256: '',
        created_at: 1,
      })
      yield* sessions.startProcessing(id, 2)
      const findings = {
        recordedAt: 1_700_000_000_000.5,
        durationS: 0.25,
        channels: ['a'],
        segmentCount: 1,
        issues: [],
      }
      yield* sessions.finish(id, 3, { ...findings, status: 'processed' })
    })
    expect(await store.read(sessions.get(id))).toMatchObject({
      bytes: 5_120_000_000_000,
      recorded_at: 1_700_000_000_000,
      duration_s: 0.25,
      status: 'processed',
    })
  })

  test('counts the bytes and sessions of an organisation', options, async () => {
    const store = await open()
    const org = uniqueName('org 3')
    const described = { org_id: org, site: 'hall', device: null, filename: 'a.bin', notes: null, sha256: '' }
    const add = (id: string, bytes: number) =>
      store.write(() =>
        sessions.insert({ ...described, id: uniqueName(id), bytes, part_size: 1, created_at: 1 }),
      )
    await store.write(() => orgs.add(org, 'Lab'))
    await Promise.all([add('s1', 5_000_000_000), add('s2', 30), add('s3', 200)])
    await store.write(() => sessions.remove(uniqueName('s2')))
    expect(await store.read(orgs.get(org))).toMatchObject({ used_bytes: 5_000_000_200, used_sessions: 2 })
  })

  test('deletes a webhook endpoint with its pending deliveries', options, async () => {
    const store = await open()
    const org = uniqueName('webhooks')
    const id = uniqueName('whe')
    const session = { site: 'hall', device: null, filename: 'a.bin', notes: null, sha256: '', bytes: 1 }
    const endpoint = { id, org_id: org, url: 'https://lab.example', events: '[]', secret: 's', created_at: 1 }
    await store.write(function* () {
      yield* orgs.add(org, 'Lab')
      yield* webhooks.addEndpoint(endpoint)
      yield* sessions.insert({ ...session, id, org_id: org, part_size: 1, created_at: 1 })
      yield* webhooks.addDelivery({ endpointId: id, sessionId: id, eventId: 'e', body: '{}', now: 1 })
    })
    expect(await store.read(webhooks.listEndpoints(org))).toEqual([endpoint])
    expect(await store.write(() => webhooks.deleteEndpoint(id))).toBe(org)
    expect(await store.read(webhooks.listEndpoints(org))).toEqual([])
    expect(await store.read(webhooks.due(2, 10))).toEqual([])
    expect(await store.write(() => webhooks.deleteEndpoint(id))).toBe(null)
  })

  test('grants a claim to one holder at a time', options, async () => {
    const store = await open()
    const release = await store.claims.take(uniqueName('claim'))
    expect(await store.claims.take(uniqueName('claim'))).toBeNull()
    expect(await store.read(store.claims.isTaken(uniqueName('claim')))).toBe(true)
    await release!()
    expect(await store.read(store.claims.isTaken(uniqueName('claim')))).toBe(false)
    expect(await store.claims.take(uniqueName('claim'))).not.toBeNull()
  })

  test('starts a new rate window after a minute, and after the clock was set back', options, async () => {
    const { rates } = await open()
    const count = (now: number) => rates.count(uniqueName('bucket'), now)
    expect(await count(100_000)).toEqual({ startedAt: 100_000, used: 1 })
    expect(await count(159_999)).toEqual({ startedAt: 100_000, used: 2 })
    expect(await count(160_000)).toEqual({ startedAt: 160_000, used: 1 })
    expect(await count(159_000)).toEqual({ startedAt: 159_000, used: 1 })
  })
})

describe('several processes on PostgreSQL', needs(postgresql), () => {
  test('migrate the database once when they start together', async () => {
    const stores = await Promise.all(
      Array.from({ length: 5 }, () => openPostgresStore({ url: postgres().url })),
    )
    await Promise.all(stores.map((store) => store.close()))
  })

  test('take over the claims of a process that was killed', async () => {
    const store = await openOnPostgres(postgres().url)
    const child = fork(path.join(import.meta.dirname, '../support/back-ends/claim-process.ts'), [
      postgres().url,
      'job',
    ])
    endWithRunner(child)
    await once(child, 'message')
    expect(await store.claims.take('job')).toBeNull()
    await endChild(child, 'SIGKILL')
    await expect.poll(async () => (await store.claims.take('job')) !== null).toBe(true)
  })

  test('wait only a short time for a process that froze inside a transaction', async () => {
    const store = await openOnPostgres(postgres().url)
    await store.write(() => orgs.add('frozen org', 'Lab'))
    const program = path.join(import.meta.dirname, '../support/back-ends/freezing-instance.ts')
    const url = `${postgres().url}?idle_in_transaction_session_timeout=300`
    const frozen = spawn(process.execPath, [program, url, 'frozen org'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    endWithRunner(frozen)
    const output = collectOutput(frozen)
    await once(frozen.stdout, 'data')
    await store.write(() => orgs.lock('frozen org'))
    frozen.kill('SIGCONT')
    expect(await output).toEqual({
      code: 0,
      out: 'locked\nthe frozen transaction fails\na new transaction succeeds\n',
      err: '',
    })
    expect(await store.read(meta.get('frozen'))).toBeUndefined()
  })

  test('continue without a failed query after an upgrade has changed a table', async () => {
    const store = await openOnPostgres(postgres().url)
    // Enough queries that each connection of the pool prepares at least one of the two.
    const readAndWrite = () =>
      Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          n % 2 === 0 ? store.read(orgs.list()) : store.write(() => orgs.get('org')),
        ),
      )
    await readAndWrite()
    await postgres().query('ALTER TABLE orgs ADD COLUMN of_a_later_version INTEGER')
    await readAndWrite()
  })

  test('work again after the database was restarted', async () => {
    const store = await openOnPostgres(postgres().url)
    await store.claims.take('before')
    await postgres().restart()
    await expect
      .poll(() =>
        store.read(orgs.list()).then(
          () => 'reads',
          () => 'fails',
        ),
      )
      .toBe('reads')
    await expect
      .poll(() =>
        store.claims.take('after').then(
          () => 'claims',
          () => 'fails',
        ),
      )
      .toBe('claims')
    await store.write(() => meta.set('restarted', 'yes'))
  })
})
