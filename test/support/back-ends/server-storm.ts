import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { systemRandom } from '../../../server/ids.ts'
import { S3Bytes } from '../../../server/storage/s3-bytes.ts'
import type { Session } from '../../../shared/contract/control-api.ts'
import { type Receiver, startWebhookReceiver } from '../../contract/webhook-receiver.ts'
import { FleetStation } from '../fleet/fleet-station.ts'
import { PART, sha256OfFile, until } from '../station.ts'
import { Instances } from './instances.ts'
import { RetryingClient } from './retrying-client.ts'
import { startSwift } from './swift.ts'

const prefix = 'lab'
const killIntervalMs = 5_000
const restartIntervalMs = 10_000
const pollMs = 1_000

export type StormSize = {
  readonly stations: number
  /** The number of recordings of all stations together. */
  readonly recordings: number
  readonly storageDownMs: number
  readonly random: () => number
}

export type StormResult = {
  readonly violations: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

type Organisation = { readonly key: string; readonly hook: Receiver; readonly stations: FleetStation[] }

/**
 * Runs three instances on PostgreSQL and S3, and agents of two organisations. While the agents upload, the storm starts
 * a new instance and kills the oldest one, again and again. PostgreSQL restarts twice, and S3 refuses connections for a
 * while.
 */
export const runServerStorm = async (size: StormSize): Promise<StormResult> => {
  const storage = await startSwift()
  onTestFinished(() => storage.stop())
  const { bucket, region, endpoint, credentials } = storage.s3
  const env = {
    AWS_ACCESS_KEY_ID: credentials!.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  }
  const bytesUrl = `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}`
  const instances = await Instances.open(bytesUrl, env)
  onTestFinished(() => instances.close())
  for (let n = 0; n < 3; n += 1) await instances.start()
  const organisations = [await openOrganisation(instances, 'One'), await openOrganisation(instances, 'Two')]

  const root = mkdtempSync(path.join(tmpdir(), 'sluice-storm-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (let number = 1; number <= size.stations; number += 1) {
    const organisation = organisations[number % 2]!
    const service = { baseUrl: instances.baseUrl, keys: { write: organisation.key } }
    const station = await FleetStation.open(root, service, number)
    onTestFinished(() => station.close())
    organisation.stations.push(station)
    await until(`${station.site} has its journal`, () => station.recordings())
  }
  const stations = organisations.flatMap((organisation) => organisation.stations)

  const startedAtMs = performance.now()
  let isUploading = true
  let killCount = 0
  const kills = (async () => {
    while (isUploading) {
      await delay(killIntervalMs)
      // An instance that starts while the database restarts exits, so the storm tries again.
      const instance = await instances.start().catch(() => null)
      if (instance === null) continue
      await instances.kill(instances.running[0]!)
      killCount += 1
    }
  })()
  const outages = (async () => {
    for (let n = 0; n < 2; n += 1) {
      await delay(restartIntervalMs)
      await instances.postgres.restart()
    }
    await storage.goDown()
    await delay(size.storageDownMs)
    await storage.comeBack()
  })()
  await record(stations, size)
  await outages
  const isDone = (station: FleetStation) => {
    const recordings = station.recordings()
    return (
      recordings?.length === station.writtenFiles.length &&
      recordings.every(({ state }) => state === 'processed')
    )
  }
  // Fifty agents on two cores need one to two seconds for each recording.
  const doneTimeoutMs = Math.max(1_800_000, size.recordings * 3_000)
  for (const station of stations)
    await until(
      `${station.site} is done`,
      async () => isDone(station) || (await delay(pollMs)),
      doneTimeoutMs,
    )
  isUploading = false
  await kills
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000)

  const bytes = new S3Bytes({ ...storage.s3, prefix: `${prefix}/` }, systemRandom)
  onTestFinished(() => bytes.close())
  const violations: string[] = []
  for (const organisation of organisations)
    violations.push(...(await findViolations(organisation, instances, bytes)))
  for (const { key } of organisations) if (instances.log.includes(key)) violations.push('a log has a key')
  if (instances.log.includes('X-Amz-Signature')) violations.push('a log has a signed URL')
  return {
    violations,
    figures: {
      agents: size.stations,
      recordings: stations.reduce((sum, station) => sum + station.writtenFiles.length, 0),
      'instances killed': killCount,
      'PostgreSQL restarts': 2,
      'seconds without S3': size.storageDownMs / 1_000,
      events: organisations.reduce((sum, { hook }) => sum + eventsOf(hook).size, 0),
      deliveries: organisations.reduce((sum, { hook }) => sum + hook.deliveries.length, 0),
      'seconds until all were processed': seconds,
    },
  }
}

const openOrganisation = async (instances: Instances, name: string): Promise<Organisation> => {
  const key = await instances.newKey(name)
  const hook = await startWebhookReceiver()
  onTestFinished(() => hook.close())
  const events = ['session.processed', 'session.failed']
  const client = new RetryingClient(instances.baseUrl, key)
  await client.call('POST', '/v1/webhook_endpoints', { url: hook.url, events })
  return { key, hook, stations: [] }
}

/** The stations record in turn. One recording in ten has two parts. */
const record = async (stations: readonly FleetStation[], { recordings, random }: StormSize) => {
  for (let n = 0; n < recordings; n += 1) {
    stations[n % stations.length]!.record(
      random() < 0.1 ? PART + 50_000 : 20_000 + Math.floor(random() * 100_000),
    )
    await delay(200)
  }
}

/** The session of each event, by event ID, because the server may deliver an event twice. */
const eventsOf = (hook: Receiver) =>
  new Map(hook.deliveries.map(({ event }) => [event.id, event.data.object.id]))

const findViolations = async (
  { key, hook, stations }: Organisation,
  instances: Instances,
  bytes: S3Bytes,
): Promise<string[]> => {
  const client = new RetryingClient(instances.baseUrl, key)
  const violations: string[] = []
  const sessionIds: string[] = []
  for (const { site, writtenFiles } of stations) {
    const sessions = await listSessions(client, site)
    sessionIds.push(...sessions.map(({ id }) => id))
    const expected = new Map<string, string>()
    for (const file of writtenFiles) expected.set(path.basename(file), await sha256OfFile(file))
    const names = sessions.map(({ filename }) => filename).sort()
    if (names.join() !== [...expected.keys()].sort().join())
      violations.push(`${site}: sessions ${names.join()} for ${[...expected.keys()].join()}`)
    for (const { id, filename, status } of sessions) {
      if (status !== 'processed') violations.push(`${site}/${filename}: ${status}`)
      else if ((await storedSha256(instances.postgres.url, bytes, id)) !== expected.get(filename))
        violations.push(`${site}/${filename}: different bytes in the storage`)
    }
  }
  await until('every event has arrived', () => eventsOf(hook).size >= sessionIds.length, 600_000)
  if ([...eventsOf(hook).values()].sort().join() !== sessionIds.sort().join())
    violations.push('the events do not match the sessions of the organisation')
  return violations
}

const listSessions = async (client: RetryingClient, site: string): Promise<Session[]> => {
  const answer = await client.call('GET', `/v1/sessions?site=${site}&limit=500`)
  const { data, has_more } = answer.json() as { data: Session[]; has_more: boolean }
  if (has_more) throw new Error(`${site} has more sessions than one page`)
  return data
}

const storedSha256 = async (database: string, bytes: S3Bytes, sessionId: string): Promise<string> => {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const sql = 'SELECT file FROM parts WHERE session_id = $1 ORDER BY number'
  const { rows } = await client.query<{ file: string }>(sql, [sessionId])
  await client.end()
  const hash = createHash('sha256')
  for (const { file } of rows) for await (const chunk of bytes.chunks(file)) hash.update(chunk)
  return hash.digest('hex')
}
