import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentKeyFile, ownerOnlyKeychain } from '../../../../main/station-store/owner-only-keychain.ts'
import { Secrets, windowKeyFile } from '../../../../main/station-store/secrets.ts'
import { newestKey } from '../../../../main/station-store/stored-agent-key.ts'

const ADDRESS = 'https://api.example.com'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-newest-key-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const storeIn = (file: string): Secrets =>
  new Secrets({ folder, keychain: ownerOnlyKeychain, platform: 'linux', log: () => {}, file })
/** Stores a key, and sets the time at which its file was changed last. */
const store = (file: string, key: string, atSeconds: number): Secrets => {
  const secrets = storeIn(file)
  secrets.save(ADDRESS, key, true)
  utimesSync(path.join(folder, file), atSeconds, atSeconds)
  return secrets
}

test('of the keys of the window and of the background service, the newer one is used', () => {
  store(agentKeyFile, 'of-the-service', 2_000)
  expect(newestKey(store(windowKeyFile, 'of-the-window', 1_000), folder, ADDRESS)).toBe('of-the-service')
  expect(newestKey(store(windowKeyFile, 'of-the-window', 3_000), folder, ADDRESS)).toBe('of-the-window')
})

test('the only key for the address of the service is used, whichever file holds it', () => {
  const ofWindow = store(windowKeyFile, 'of-the-window', 1_000)
  expect(newestKey(ofWindow, folder, ADDRESS)).toBe('of-the-window')
  const later = storeIn(agentKeyFile)
  later.save('https://other.example.com', 'of-another-service', true)
  expect(newestKey(ofWindow, folder, ADDRESS)).toBe('of-the-window')
  ofWindow.forget()
  expect(newestKey(ofWindow, folder, 'https://other.example.com')).toBe('of-another-service')
})

test('a key in the settings file is used instead of the stored keys', () => {
  store(agentKeyFile, 'of-the-service', 2_000)
  const ofWindow = storeIn(windowKeyFile)
  ofWindow.bindWithoutStoring(ADDRESS, 'in-the-settings')
  expect(newestKey(ofWindow, folder, ADDRESS)).toBe('in-the-settings')
})
