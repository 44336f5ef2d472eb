import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hintAboutKey } from '../../../../../main/cli/service/key-hint.ts'

let base: string
const inWindow = (name: string) => path.join(base, 'window', name)
const inService = (name: string) => path.join(base, 'service', name)
const hintWith = (keyFile: string | null) =>
  hintAboutKey(inWindow(''), { dataFolder: inService(''), keyFile })

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-hint-'))
  for (const name of ['window', 'service']) mkdirSync(path.join(base, name))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('if the background service cannot use the key of the window, a hint asks for the key again', () => {
  expect(hintWith(null)).toBeNull()
  writeFileSync(inWindow('key.bin'), 'encrypted for the user of the window')
  expect(hintWith(null)).toContain('enter the key again')
  expect(hintWith('/etc/sluice/key')).toBeNull()
  writeFileSync(inService('agent-key.json'), '{}')
  expect(hintWith(null)).toBeNull()
})
