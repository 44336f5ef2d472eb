import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ServicePlan } from '../../main/cli/service/service-files.ts'
import { installTask, uninstallTask, windowsOptions } from '../../main/cli/service/windows-task.ts'
import { loadDpapi } from '../../main/managed/windows-dpapi.ts'
import { agentKeychain } from '../../main/station-store/agent-keychain.ts'
import { agentKeyFile } from '../../main/station-store/owner-only-keychain.ts'
import { agentSecrets } from '../../main/station-store/stored-agent-key.ts'

const folderOfTest = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('DPAPI encrypts a secret for this account, and refuses changed bytes', () => {
  const { protect, unprotect } = loadDpapi()
  const secret = Buffer.from('svc_live_abc')
  const stored = protect(secret)
  expect(stored.includes(secret)).toBe(false)
  expect(unprotect(stored)).toEqual(secret)
  expect(() => unprotect(Buffer.from('not from Windows'))).toThrow('did not decrypt')
})

test('the key of an agent is on the disk only as DPAPI encrypts it', () => {
  const folder = folderOfTest()
  expect(agentKeychain().platform).toBe('win32')
  const secrets = agentSecrets(folder, 'https://api.example.com')
  expect(secrets.describe()).toMatchObject({ backend: 'DPAPI', protects: true })
  secrets.save('https://api.example.com', 'svc_live_abc', false)
  expect(readFileSync(path.join(folder, agentKeyFile)).includes('svc_live_abc')).toBe(false)
  expect(agentSecrets(folder, undefined).keyFor('https://api.example.com')).toBe('svc_live_abc')
})

test('Windows registers the task as it was written, and removes it', () => {
  const folder = folderOfTest()
  const plan: ServicePlan = {
    program: ['C:\\Program Files\\Sluice\\Sluice.exe', '--'],
    dataFolder: path.join(folder, 'data'),
    account: 'LOCAL SERVICE',
    group: null,
    keyFile: null,
    runsAsNode: false,
  }
  installTask(plan, windowsOptions())
  const registered = path.join(process.env.SystemRoot ?? 'C:\\Windows', 'System32\\Tasks\\Sluice')
  const text = readFileSync(registered)
  const xml = text.includes('BootTrigger') ? text.toString('utf8') : text.toString('utf16le')
  expect(xml).toContain('<BootTrigger>')
  expect(xml).toContain('Sluice.exe')
  uninstallTask(windowsOptions())
})
