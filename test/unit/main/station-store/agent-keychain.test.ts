import { expect, test } from 'vitest'
import { agentKeychain } from '../../../../main/station-store/agent-keychain.ts'

/** Inverting every bit is enough encryption for a test. */
const turn = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff))
const dpapi = { protect: turn, unprotect: turn }

test('on Windows, an agent encrypts its secrets for its account', () => {
  const { keychain, platform } = agentKeychain('win32', () => dpapi)
  expect(platform).toBe('win32')
  const stored = keychain.encryptString('{"key":"svc_live_abc"}')
  expect(stored.toString()).not.toContain('svc_live_abc')
  expect(keychain.decryptString(stored)).toBe('{"key":"svc_live_abc"}')
})

test('on Windows, an agent still reads the secrets of an earlier version', () => {
  const { keychain } = agentKeychain('win32', () => dpapi)
  expect(keychain.decryptString(Buffer.from('{"key":"svc_live_abc"}'))).toBe('{"key":"svc_live_abc"}')
})

test('an account without DPAPI keeps its secrets in files that only it can read, and the window asks first', () => {
  const locked = {
    protect: turn,
    unprotect: () => {
      throw new Error('locked')
    },
  }
  const missing = () => {
    throw new Error('no such library')
  }
  for (const found of [
    agentKeychain('win32', () => locked),
    agentKeychain('win32', missing),
    agentKeychain('linux', missing),
  ]) {
    expect(found.platform).toBe('linux')
    expect(found.keychain.getSelectedStorageBackend?.()).toBe('basic_text')
  }
})
