import { createHash } from 'node:crypto'
import type { IdMaker, RandomBytes } from '../ids.ts'
import { otherOrg, sampleOrg } from '../keys.ts'
import { defaultPartBytes } from '../part-plan.ts'
import { concludeFindings } from '../processing/findings.ts'
import { inspect } from '../processing/inspect.ts'
import type { PartFiles } from '../storage/part-files.ts'
import type { Store } from '../store/store.ts'
import { type SampleRecording, sampleRecordings } from './sample-recordings.ts'

export type SeedParts = {
  readonly store: Store
  readonly files: PartFiles
  readonly makeId: IdMaker
  readonly random: RandomBytes
  readonly now: number
}

/** Runs once per data folder. One transaction writes the samples and the mark, so after a crash all of it runs again. */
export async function seedStore(parts: SeedParts): Promise<void> {
  const { store, random, now } = parts
  if (store.keys.meta('seeded') !== undefined) return
  const samples: (() => void)[] = []
  for (const sample of await sampleRecordings(now)) samples.push(await prepare(parts, sample))
  await parts.files.syncNames()
  await store.write(() => {
    store.keys.setMeta('url_secret', random(32).toString('hex'))
    store.keys.addOrg(sampleOrg.id, sampleOrg.name)
    store.keys.addOrg(otherOrg.id, otherOrg.name)
    for (const insert of samples) insert()
    store.keys.setMeta('seeded', 'yes')
  })
}

/** Writes and inspects the bytes of a sample, and returns the rows to insert. */
async function prepare(
  { store, files, makeId, now }: SeedParts,
  sample: SampleRecording,
): Promise<() => void> {
  const { bytes, ...described } = sample
  const id = makeId('ses')
  const file = files.newName(id, 1)
  const handle = await files.create(file)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  const recording = {
    bytes: bytes.length,
    read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
    close: async () => {},
  }
  const findings = concludeFindings(await inspect(sample.filename, recording, AbortSignal.any([])), now)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`
  return () => {
    const size = { bytes: bytes.length, part_size: defaultPartBytes }
    store.sessions.insert({ ...described, ...size, id, org_id: sampleOrg.id, sha256, created_at: now })
    store.parts.put({ session_id: id, number: 1, file, bytes: bytes.length, sha256, etag })
    store.sessions.startProcessing(id, now)
    store.sessions.finish(id, now, findings)
  }
}
