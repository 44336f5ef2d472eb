import { createHash } from 'node:crypto'
import type { IdMaker } from '../../server/ids.ts'
import { defaultPartBytes } from '../../server/part-plan.ts'
import { concludeFindings } from '../../server/processing/findings.ts'
import { inspect, inspectHere } from '../../server/processing/inspect.ts'
import type { ByteStore } from '../../server/storage/byte-store.ts'
import { meta } from '../../server/store/meta.ts'
import { orgs } from '../../server/store/orgs.ts'
import { parts } from '../../server/store/parts.ts'
import { sessions } from '../../server/store/sessions.ts'
import type { Steps } from '../../server/store/steps.ts'
import type { Store } from '../../server/store/store.ts'
import { otherOrg, sampleOrg } from '../keys.ts'
import { type SampleRecording, sampleRecordings } from './sample-recordings.ts'

export type SeedDependencies = {
  readonly store: Store
  readonly bytes: ByteStore
  readonly makeId: IdMaker
  readonly now: number
}

/**
 * Adds the sample recordings to a new data folder. One transaction writes all rows and the mark `seeded`, so after a
 * crash, the next start begins again.
 */
export async function seedStore(dependencies: SeedDependencies): Promise<void> {
  const { store, now } = dependencies
  if ((await store.read(meta.get('seeded'))) !== undefined) return
  const inserts: (() => Steps<void>)[] = []
  for (const sample of await sampleRecordings(now)) inserts.push(await prepare(dependencies, sample))
  await store.write(function* () {
    yield* orgs.add(sampleOrg.id, sampleOrg.name)
    yield* orgs.add(otherOrg.id, otherOrg.name)
    for (const insert of inserts) yield* insert()
    yield* meta.set('seeded', 'yes')
  })
}

/** Writes and inspects the bytes of a sample, and returns the steps that insert its rows. */
async function prepare(
  { bytes: storage, makeId, now }: SeedDependencies,
  sample: SampleRecording,
): Promise<() => Steps<void>> {
  const { bytes, ...details } = sample
  const id = makeId('ses')
  const file = storage.newName(id, 1)
  await storage.put(file, bytes)
  const recording = {
    bytes: bytes.length,
    read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
    close: async () => {},
  }
  const findings = concludeFindings(
    await inspect(sample.filename, recording, inspectHere, AbortSignal.any([])),
    now,
  )
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`
  return function* () {
    const size = { bytes: bytes.length, part_size: defaultPartBytes }
    yield* sessions.insert({ ...details, ...size, id, org_id: sampleOrg.id, sha256, created_at: now })
    yield* parts.put({ session_id: id, number: 1, file, bytes: bytes.length, sha256, etag })
    yield* sessions.startProcessing(id, now)
    yield* sessions.finish(id, now, findings)
  }
}
