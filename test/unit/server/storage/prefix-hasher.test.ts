import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { systemRandom } from '../../../../server/ids.ts'
import { Metrics } from '../../../../server/metrics.ts'
import { hashRecording } from '../../../../server/storage/hash-recording.ts'
import { PartFiles } from '../../../../server/storage/part-files.ts'
import { loadPrefix } from '../../../../server/storage/prefix-hash.ts'
import { PrefixHasher } from '../../../../server/storage/prefix-hasher.ts'
import { ResumableSha256 } from '../../../../server/storage/resumable-sha256.ts'
import { orgs } from '../../../../server/store/orgs.ts'
import { parts } from '../../../../server/store/parts.ts'
import { prefixHashes } from '../../../../server/store/prefix-hashes.ts'
import { sessions } from '../../../../server/store/sessions.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'
import { patterned, sha256 } from '../../../contract/service.ts'

const partSizeBytes = 1_000

/** A session of four parts, none of them stored yet. */
const openUpload = async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'prefix-hasher-'))
  const store = createSqliteStore((await openDataFolder(root, 'server')).db)
  const bytes = await PartFiles.open(root, systemRandom, null)
  const hasher = new PrefixHasher({ store, bytes, log: () => {}, metrics: new Metrics(), minBytes: 0 })
  onTestFinished(async () => {
    await hasher.stop()
    await store.close()
    await rm(root, { recursive: true })
  })
  const described = { id: 'ses_1', org_id: 'org_1', site: 'hall', device: null, filename: 'a.bin' }
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    const size = { bytes: 4 * partSizeBytes, part_size: partSizeBytes }
    yield* sessions.insert({ ...described, ...size, notes: null, sha256: '', created_at: 1 })
  })
  return {
    async put(number: number, content: Buffer) {
      const file = bytes.newName('ses_1', number)
      await bytes.put(file, content)
      const row = { session_id: 'ses_1', number, file, bytes: content.length, sha256: '', etag: '' }
      await store.write(() => parts.put(row))
      hasher.wake('ses_1')
    },
    hashedParts: async () => (await store.read(prefixHashes.get('ses_1')))?.parts ?? 0,
    async complete() {
      const stored = await store.read(parts.ofSession('ses_1'))
      const prefix = await loadPrefix(await store.read(prefixHashes.get('ses_1')), stored)
      return hashRecording(bytes, stored, prefix)
    },
  }
}

const content = patterned(4 * partSizeBytes)
const part = (number: number) => content.subarray((number - 1) * partSizeBytes, number * partSizeBytes)

test('hashes the parts up to the first gap, so that completion reads only the others', async () => {
  const upload = await openUpload()
  for (const number of [1, 2, 4]) await upload.put(number, part(number))
  await expect.poll(() => upload.hashedParts()).toBe(2)
  await upload.put(3, part(3))
  await expect.poll(() => upload.hashedParts()).toBe(4)
  expect(await upload.complete()).toEqual({ sha256: sha256(content), bytesRead: 0 })
})

test('reads everything again after a hashed part was replaced', async () => {
  const upload = await openUpload()
  for (const number of [1, 2]) await upload.put(number, patterned(partSizeBytes, 77))
  await expect.poll(() => upload.hashedParts()).toBe(2)
  for (const number of [1, 2, 3, 4]) await upload.put(number, part(number))
  expect(await upload.complete()).toMatchObject({ sha256: sha256(content) })
  await expect.poll(() => upload.hashedParts()).toBe(4)
  expect(await upload.complete()).toEqual({ sha256: sha256(content), bytesRead: 0 })
})

test('a hash continues from its stored state at any byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(300), async (all, at) => {
      const first = await ResumableSha256.create()
      first.update(all.subarray(0, at))
      const second = await ResumableSha256.load(first.save())
      second!.update(all.subarray(at))
      expect(second!.digest()).toBe(sha256(Buffer.from(all)))
    }),
  )
  expect(await ResumableSha256.load(Buffer.alloc(116).toString('base64'))).toBeNull()
})
