import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { systemRandom } from '../../../../server/ids.ts'
import { adoptDirectParts, type DirectParts } from '../../../../server/storage/direct-parts.ts'
import { PartFiles } from '../../../../server/storage/part-files.ts'
import { orgs } from '../../../../server/store/orgs.ts'
import { parts } from '../../../../server/store/parts.ts'
import { sessions } from '../../../../server/store/sessions.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'

/** A session of one part, and a storage in memory to which a station uploads. The text of a part is its ETag. */
const openStores = async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'direct-parts-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  onTestFinished(async () => {
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  const bytes = await PartFiles.open(root, systemRandom, null)
  const uploads = new Map<number, string>()
  let afterCopy = () => {}
  const directParts: DirectParts = {
    signUrl: () => '',
    async *uploads() {
      for (const [number, text] of uploads) yield { number, bytes: text.length, etag: text }
    },
    async copy(_sessionId, { number, etag }, name) {
      if (uploads.get(number) !== etag) return false
      await bytes.put(name, Buffer.from(etag))
      afterCopy()
      return true
    },
    remove: async (_sessionId, number) => void uploads.delete(number),
    verify: async () => {},
  }
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    const described = { site: 'hall', device: null, filename: 'a.txt', notes: null, sha256: '' }
    const size = { bytes: 4, part_size: 4, created_at: 1 }
    yield* sessions.insert({ ...described, ...size, id: 'ses_1', org_id: 'org_1' })
  })
  const session = (await store.read(sessions.get('ses_1')))!
  return {
    upload: (text: string) => uploads.set(1, text),
    uploadAfterCopy(text: string) {
      afterCopy = () => {
        afterCopy = () => {}
        uploads.set(1, text)
      }
    },
    adopt: () => adoptDirectParts({ store, bytes, directParts }, session),
    async storedTexts() {
      const texts: string[] = []
      for await (const { name } of bytes.names())
        for await (const chunk of bytes.chunks(name)) texts.push(Buffer.from(chunk).toString())
      return texts
    },
    etag: async () => (await store.read(parts.get('ses_1', 1)))?.etag,
  }
}

test('a part is not lost if it replaces an old part while the server copies the old one', async () => {
  const stores = await openStores()
  stores.upload('old.')
  stores.uploadAfterCopy('new.')
  await stores.adopt()
  expect(await stores.etag()).toBe('old.')
  await stores.adopt()
  expect(await stores.etag()).toBe('new.')
  expect(await stores.storedTexts()).toEqual(['new.'])
})

test('simultaneous completions keep only one copy of a part', async () => {
  const stores = await openStores()
  stores.upload('text')
  await Promise.all([stores.adopt(), stores.adopt(), stores.adopt()])
  expect(await stores.etag()).toBe('text')
  expect(await stores.storedTexts()).toEqual(['text'])
})
