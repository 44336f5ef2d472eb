import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { windowsUpdateInstaller } from '../../main/agent/platform/update-task.ts'
import type { ServicePlan } from '../../main/cli/service/service-files.ts'
import { installTask, uninstallTask, windowsOptions } from '../../main/cli/service/windows-task.ts'
import { loadDpapi } from '../../main/managed/windows-dpapi.ts'
import { agentKeychain } from '../../main/station-store/agent-keychain.ts'
import { agentKeyFile } from '../../main/station-store/owner-only-keychain.ts'
import { agentSecrets } from '../../main/station-store/stored-agent-key.ts'
import { type Need, needs } from '../support/needs.ts'

const windowsTasks: Need = () =>
  process.env.SLUICE_WINE === undefined
    ? null
    : 'Windows itself, since Wine drops triggers and actions of a task'

const folderOfTest = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('DPAPI decrypts the secret that it has encrypted, and refuses bytes that it has not encrypted', () => {
  const { protect, unprotect } = loadDpapi()
  const secret = Buffer.from('svc_live_abc')
  const stored = protect(secret)
  expect(stored.includes(secret)).toBe(false)
  expect(unprotect(stored)).toEqual(secret)
  expect(() => unprotect(Buffer.from('not from Windows'))).toThrow('did not decrypt')
})

test('an agent stores its key on disk only after DPAPI has encrypted it', () => {
  const folder = folderOfTest()
  expect(agentKeychain().platform).toBe('win32')
  const secrets = agentSecrets(folder, 'https://api.example.com')
  expect(secrets.describe()).toMatchObject({ backend: 'DPAPI', protects: true })
  secrets.save('https://api.example.com', 'svc_live_abc', false)
  expect(readFileSync(path.join(folder, agentKeyFile)).includes('svc_live_abc')).toBe(false)
  expect(agentSecrets(folder, undefined).keyFor('https://api.example.com')).toBe('svc_live_abc')
})

/** Registers the task of a background service, and returns what Windows has stored. */
const registeredTask = (): string => {
  const plan: ServicePlan = {
    program: ['C:\\Program Files\\Sluice\\Sluice.exe', '--'],
    dataFolder: path.join(folderOfTest(), 'data'),
    account: 'LOCAL SERVICE',
    group: null,
    keyFile: null,
    runsAsNode: false,
  }
  installTask(plan, windowsOptions())
  onTestFinished(() => void uninstallTask(windowsOptions()))
  const stored = readFileSync(path.join(process.env.SystemRoot ?? 'C:\\Windows', 'System32\\Tasks\\Sluice'))
  // Windows stores UTF-16, Wine UTF-8.
  return stored.toString(stored[0] === 0xff ? 'utf16le' : 'utf8')
}

test('Windows registers the task: one agent at a time, without a time limit, also on battery', () => {
  const task = registeredTask()
  expect(task).toContain('<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>')
  expect(task).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
  expect(task).toContain('<DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>')
})

test(
  'Windows starts the task at boot, under the account LOCAL SERVICE, and again after a failure',
  needs(windowsTasks),
  () => {
    const task = registeredTask()
    for (const part of [
      '<BootTrigger>',
      'S-1-5-19',
      '<RestartOnFailure>',
      'Sluice.exe</Command>',
      'run --data',
    ])
      expect(task).toContain(part)
  },
)

test('the agent notices that Windows has no task for updates', needs(windowsTasks), async () => {
  const folder = folderOfTest()
  writeFileSync(path.join(folder, 'uninstall.exe'), '')
  const installer = windowsUpdateInstaller(path.join(folder, 'Sluice.exe'))
  expect(await installer?.isRegistered()).toBe(false)
})
