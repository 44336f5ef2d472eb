import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentKeychain } from '../../../../main/station-store/agent-keychain.ts'
import { agentKeyFile, ownerOnlyKeychain } from '../../../../main/station-store/owner-only-keychain.ts'
import { Secrets } from '../../../../main/station-store/secrets.ts'

const invert = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff))
const dpapi = { protect: invert, unprotect: invert }

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

test('without DPAPI, an agent stores its secrets unencrypted in owner-only files, and reports this', () => {
  const locked = {
    protect: invert,
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

test('without a keychain, Sluice reads plain text, and refuses encrypted bytes', () => {
  const { encryptString, decryptString } = ownerOnlyKeychain
  const text = JSON.stringify({ description: 'Büro\n\u0000\u007f\u0085' })
  expect(decryptString(encryptString(text))).toBe(text)
  expect(() => decryptString(Buffer.from('01000000d08c9ddf', 'hex'))).toThrow()
  expect(() => decryptString(Buffer.from([0x01, 0x00, 0x41]))).toThrow('not plain text')
})

describe('an account without DPAPI', () => {
  const ADDRESS = 'https://api.example.com'
  const KEY = 'svc_live_abc'
  let folder = ''
  let logged: string[] = []
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-agent-key-'))
    logged = []
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const loadFrom = (bytes: Buffer, address: string | undefined) => {
    writeFileSync(path.join(folder, agentKeyFile), bytes)
    const withoutDpapi = agentKeychain('win32', () => {
      throw new Error('locked')
    })
    const log = (message: string) => void logged.push(message)
    const secrets = new Secrets({ folder, ...withoutDpapi, log, file: agentKeyFile })
    secrets.load(address)
    return secrets
  }

  const dpapiHeader = Buffer.from('01000000d08c9ddf0115d1118c7a00c04fc297eb', 'hex')
  test.each([
    ['that DPAPI encrypted', Buffer.concat([dpapiHeader, Buffer.from([0x01, 0x00, 0xfe, 0x83, 0x41])])],
    ['of bytes that are not UTF-8', Buffer.from([0x73, 0x76, 0x63, 0xff, 0xfe])],
    ['with control characters', Buffer.from([0x01, 0x00, 0x00, 0x00, 0x41, 0x42])],
    ['of text that cannot be a key', Buffer.from('Schlüssel für später')],
    ['of two words', Buffer.from('no key')],
    ['that is empty', Buffer.alloc(0)],
  ])('never changes a key file %s, and gets no key from it', (_, bytes) => {
    for (const address of [ADDRESS, undefined]) {
      const secrets = loadFrom(bytes, address)
      expect(secrets.key).toBeNull()
      expect(secrets.describe().addressesWithKey).toEqual([])
      expect(readdirSync(folder)).toEqual([agentKeyFile])
      expect(readFileSync(path.join(folder, agentKeyFile))).toEqual(bytes)
      expect(logged.at(-1)).toMatch(/^this account cannot read the stored key/)
    }
    expect(logged).toHaveLength(2)
  })

  test.each([
    ['with its address', JSON.stringify({ origin: ADDRESS, key: KEY })],
    ['with its address, on several lines', `${JSON.stringify({ origin: ADDRESS, key: KEY }, null, 2)}\r\n`],
    ['alone', KEY],
    ['alone, on a line', `${KEY}\r\n`],
  ])('still reads the unencrypted key that an earlier version stored %s', (_, text) => {
    expect(loadFrom(Buffer.from(text), ADDRESS).keyFor(ADDRESS)).toBe(KEY)
    expect(JSON.parse(readFileSync(path.join(folder, agentKeyFile), 'utf8'))).toEqual({
      origin: ADDRESS,
      key: KEY,
    })
    expect(logged).toEqual([])
  })
})
