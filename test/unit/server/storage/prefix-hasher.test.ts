import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { systemRandom } from '../../../../server/ids.ts'
import { Metrics } from '../../../../server/metrics.ts'
import { hashRecording } from '../../../../server/storage/hash-recording.ts'
import { OpenSslSha256 } from '../../../../server/storage/openssl-sha256.ts'
import { PartFiles } from '../../../../server/storage/part-files.ts'
import { loadPrefix, type PrefixHash } from '../../../../server/storage/prefix-hash.ts'
import { PrefixHasher } from '../../../../server/storage/prefix-hasher.ts'
import { loadResumableSha256, WasmSha256 } from '../../../../server/storage/resumable-sha256.ts'
import { orgs } from '../../../../server/store/orgs.ts'
import { parts } from '../../../../server/store/parts.ts'
import { prefixHashes } from '../../../../server/store/prefix-hashes.ts'
import { sessions } from '../../../../server/store/sessions.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'
import { patterned, sha256 } from '../../../contract/service.ts'
import { type Need, needs } from '../../../support/needs.ts'

const openSsl: Need = () => (OpenSslSha256.create() === null ? 'OpenSSL 3' : null)

const partSizeBytes = 1_000

/** A session of four parts, none of them stored yet. */
const openUpload = async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'prefix-hasher-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  const bytes = await PartFiles.open(root, systemRandom, null)
  const hasher = new PrefixHasher({ store, bytes, log: () => {}, metrics: new Metrics(), minBytes: 0 })
  onTestFinished(async () => {
    await hasher.stop()
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  const size = { bytes: 4 * partSizeBytes, part_size: partSizeBytes }
  const described = { id: 'ses_1', org_id: 'org_1', site: 'hall', device: null, filename: 'a.bin' }
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    yield* sessions.insert({ ...described, ...size, notes: null, sha256: '', created_at: 1 })
  })
  return {
    async put(number: number, content: Buffer) {
      const file = bytes.newName('ses_1', number)
      await bytes.put(file, content)
      const row = { session_id: 'ses_1', number, file, bytes: content.length, sha256: '', etag: '' }
      await store.write(() => parts.put(row))
      hasher.wake({ id: 'ses_1', ...size })
    },
    hashedParts: async () => (await store.read(prefixHashes.get('ses_1')))?.parts ?? 0,
    async complete() {
      const stored = await store.read(parts.ofSession('ses_1'))
      const prefix = await loadPrefix(await store.read(prefixHashes.get('ses_1')), stored)
      return hashRecording(bytes, stored, prefix)
    },
    completeFrom: async (prefix: PrefixHash) =>
      hashRecording(bytes, await store.read(parts.ofSession('ses_1')), prefix),
  }
}

const content = patterned(4 * partSizeBytes)
const part = (number: number) => content.subarray((number - 1) * partSizeBytes, number * partSizeBytes)

test('hashes the parts up to the first gap and continues when the gap is filled, so that completion reads no part', async () => {
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

test('hashes all parts again if this is faster than continuing with the slow hash', async () => {
  const upload = await openUpload()
  for (const number of [1, 2, 3, 4]) await upload.put(number, part(number))
  const slow = async (count: number) => {
    const hash = await WasmSha256.create()
    hash.update(content.subarray(0, count * partSizeBytes))
    return upload.completeFrom({ parts: count, hash })
  }
  expect(await slow(3)).toEqual({ sha256: sha256(content), bytesRead: content.length })
  expect(await slow(4)).toEqual({ sha256: sha256(content), bytesRead: 0 })
})

const hashes = [
  { name: 'OpenSSL', create: async () => OpenSslSha256.create()!, need: openSsl },
  { name: 'WebAssembly', create: () => WasmSha256.create(), need: () => null },
]

describe.each(hashes)('the hash by $name', ({ create, need }) => {
  test('continues from its stored state at any byte', needs(need), async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(300), async (all, at) => {
        const first = await create()
        first.update(all.subarray(0, at))
        const second = await loadResumableSha256(first.save())
        expect(second!.isFast).toBe(first.isFast)
        second!.update(all.subarray(at))
        expect(second!.digest()).toBe(sha256(Buffer.from(all)))
      }),
    )
  })
})

test('refuses the state of a hash that the server did not save', needs(openSsl), async () => {
  const saved = OpenSslSha256.create()!.save()
  const state = Buffer.from(saved.split(':')[1]!, 'base64')
  const withCount = Buffer.from(state)
  withCount.writeUInt32LE(64, 104)
  const foreign = [Buffer.alloc(0), Buffer.alloc(112), Buffer.alloc(116), withCount, state.subarray(1)]
  for (const bytes of foreign) {
    expect(await loadResumableSha256(`openssl3:${bytes.toString('base64')}`)).toBeNull()
  }
  expect(await loadResumableSha256(Buffer.alloc(116).toString('base64'))).toBeNull()
})
