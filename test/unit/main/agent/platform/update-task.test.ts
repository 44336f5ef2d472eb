import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { windowsUpdateInstaller } from '../../../../../main/agent/platform/update-task.ts'

test('only an NSIS installation updates itself, because the update is an NSIS installer, which damages an .msi installation', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = path.join(folder, 'Sluice.exe')
  expect(windowsUpdateInstaller(program)).toBeNull()
  writeFileSync(path.join(folder, 'uninstall.exe'), '')
  expect(windowsUpdateInstaller(program)).not.toBeNull()
})
