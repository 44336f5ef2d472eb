import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebhookSecrets } from '../../../../main/station-store/webhook-secrets.ts'

const ADDRESS = 'https://service.example'
const endpointAt = (url: string) => ({ url, events: ['session.processed' as const] })

let folder: string
let isLocked: boolean
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-webhooks-'))
  isLocked = false
})
afterEach(() => rmSync(folder, { recursive: true }))

const openStore = () => {
  const store = new WebhookSecrets({
    folder,
    keychain: {
      isEncryptionAvailable: () => true,
      encryptString: (text) => Buffer.from(text),
      decryptString: (bytes) => {
        if (isLocked) throw new Error('the keychain is locked')
        return bytes.toString()
      },
      setUsePlainTextEncryption: () => {},
    },
    storage: {
      describe: () => ({ available: true, protects: true, backend: 'a keychain', addressesWithKey: [] }),
    },
    log: () => {},
  })
  store.load()
  return store
}

const register = (store: WebhookSecrets, url: string, secret: string) => {
  store.storeRequest(ADDRESS, endpointAt(url), false, new Date())
  store.storeSecret(endpointAt(url), { id: `whe_${secret}`, secret }, new Date())
}

test('a new endpoint keeps the secrets of earlier ones, although the keychain was locked at the start', () => {
  register(openStore(), 'https://hooks.example/1', 'first-secret')
  isLocked = true
  const store = openStore()
  expect(store.secretsFor(ADDRESS)).toEqual([])
  isLocked = false
  register(store, 'https://hooks.example/2', 'second-secret')
  expect(openStore().secretsFor(ADDRESS)).toEqual(expect.arrayContaining(['first-secret', 'second-secret']))
})
