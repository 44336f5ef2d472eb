import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readKeyFile } from '../../main/managed/key-file.ts'
import { managedFileOf, readManagedFile } from '../../main/managed/managed-file.ts'
import { readSecurityDescriptor } from '../../main/managed/security-descriptor.ts'
import { loadWindowsSecurity } from '../../main/managed/windows-security.ts'

const ADMINISTRATORS = 'S-1-5-32-544'
const SYSTEM = 'S-1-5-18'

const security = loadWindowsSecurity()
const programData = process.env.ProgramData
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-managed-'))
  process.env.ProgramData = folder
  file = managedFileOf('win32', process.env)
  mkdirSync(path.dirname(file))
  writeFileSync(file, JSON.stringify({ follow: { poll_seconds: 3 } }))
})
afterEach(() => {
  process.env.ProgramData = programData
  rmSync(folder, { recursive: true, force: true })
})

const rightsOf = (place: string) => {
  const opened = security.open(place)
  if (opened === null) throw new Error(`Windows does not open ${place}`)
  try {
    return readSecurityDescriptor(opened.descriptor())
  } finally {
    opened.close()
  }
}

test('Windows reports the owner of a file and a folder, and the user of this program', () => {
  const self = security.self()
  expect(self).toMatch(/^S-1-5-(18|21-)/)
  // Files of an elevated administrator belong to the group of administrators.
  for (const place of [file, folder]) expect([self, ADMINISTRATORS]).toContain(rightsOf(place).owner)
  expect(rightsOf(file).allowed).not.toEqual([])
  expect(security.nameOf(SYSTEM)).not.toBe(SYSTEM)
  expect(security.nameOf('S-1-5-21-9-9-9-9999')).toBe('S-1-5-21-9-9-9-9999')
})

test('a file that is open for reading cannot be removed until it is closed', () => {
  const opened = security.open(file)
  expect(() => rmSync(file)).toThrow(/EBUSY|EPERM|EACCES/)
  opened?.close()
  rmSync(file)
  expect(security.open(file)).toBeNull()
})

test('does not use managed settings that a user put into %ProgramData%, and names that user', () => {
  const { owner } = rightsOf(path.dirname(file))
  const result = readManagedFile(file)
  if (owner === ADMINISTRATORS) expect(result.kind).toBe('good')
  else
    expect(result).toMatchObject({
      kind: 'bad',
      reason: `${path.dirname(file)} belongs to ${security.nameOf(owner)}, so it is not used. Give it to the administrators: icacls "${path.dirname(file)}" /setowner *S-1-5-32-544`,
    })
})

test('managed settings that `--managed` names may belong to an ordinary user, and so may a key file', () => {
  const namedFile = path.join(folder, 'Sluice', 'named.json')
  writeFileSync(namedFile, '{}')
  expect(readManagedFile(namedFile)).toMatchObject({ kind: 'good' })
  const key = path.join(folder, 'key')
  writeFileSync(key, 'svc_live_abc\r\n')
  expect(readKeyFile(key)).toEqual({ ok: true, key: 'svc_live_abc' })
})

test('a missing file is reported as missing, not as untrusted', () => {
  rmSync(path.dirname(file), { recursive: true })
  expect(readManagedFile(file)).toEqual({ kind: 'missing' })
})
