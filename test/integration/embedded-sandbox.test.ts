import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sandboxFile } from '../../main/local-files/try-out.ts'
import { EmbeddedSandbox, type SandboxChild } from '../../main/shell/sandbox/embedded-sandbox.ts'
import { until } from '../support/station.ts'
import { forkUtility, type UtilityChild } from '../support/utility-process.ts'

const entry = path.join(import.meta.dirname, '../../main/sandbox/sandbox-process.ts')

let data: string
let children: UtilityChild[]
let sandboxes: EmbeddedSandbox[]
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'sluice-embedded-'))
  children = []
  sandboxes = []
})
afterEach(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()))
  rmSync(data, { recursive: true, force: true })
})

const start = (args: readonly string[]): SandboxChild => {
  const child = forkUtility(entry, args)
  children.push(child)
  return child
}

const hasEnded = ({ exitCode, signalCode }: UtilityChild): boolean => (exitCode ?? signalCode) !== null

const openSandbox = (): EmbeddedSandbox => {
  const sandbox = new EmbeddedSandbox(data, start)
  sandboxes.push(sandbox)
  return sandbox
}

const statusOfRequest = async (sandbox: EmbeddedSandbox, baseUrl: string): Promise<number> => {
  const headers = { authorization: `Bearer ${sandbox.keyFor(baseUrl)}` }
  return (await fetch(`${baseUrl}/v1/sessions`, { headers })).status
}

test('the embedded sandbox starts once, in its own process, and offers its key only for its own address', async () => {
  const sandbox = openSandbox()
  const [baseUrl, again] = await Promise.all([sandbox.start(), sandbox.start()])
  expect(again).toBe(baseUrl)
  expect(children).toHaveLength(1)
  expect(await statusOfRequest(sandbox, baseUrl)).toBe(200)
  expect(sandbox.keyFor('https://api.example.com')).toBeNull()
  await sandbox.close()
  expect(children.map(hasEnded)).toEqual([true])
  // A stop that the app requests does not change the health.
  expect(sandbox.health).toEqual({ state: 'running', baseUrl })
})

test('Sluice reports a crash of the embedded sandbox, and can restart it at the same address', async () => {
  const sandbox = openSandbox()
  const reports: string[] = []
  sandbox.on('health', ({ state }) => reports.push(state))
  const baseUrl = await sandbox.start()
  children[0]?.kill('SIGKILL')
  await until('the crash is reported', () => sandbox.health.state === 'stopped')
  expect(sandbox.keyFor(baseUrl)).toBeNull()
  expect(await sandbox.start()).toBe(baseUrl)
  expect(await statusOfRequest(sandbox, baseUrl)).toBe(200)
  expect(reports).toEqual(['running', 'stopped', 'running'])
})

test('a sandbox ends if its port cannot be saved, and the next start runs exactly one sandbox', async () => {
  const sandbox = openSandbox()
  // A folder is in place of the file, so the write fails, as on a full disk.
  const unwritable = sandboxFile(data)
  mkdirSync(unwritable)
  await expect(sandbox.start()).rejects.toThrow('EISDIR')
  expect(sandbox.health).toEqual({ state: 'stopped', reason: expect.stringContaining('EISDIR') })
  expect(children.map(hasEnded)).toEqual([true])
  rmdirSync(unwritable)
  const baseUrl = await sandbox.start()
  expect(children.map(hasEnded)).toEqual([true, false])
  expect(await statusOfRequest(sandbox, baseUrl)).toBe(200)
})

test('the sandbox inside the app has its own key, sends no webhooks, and keeps its data for this user only', async () => {
  const sandbox = openSandbox()
  const baseUrl = await sandbox.start()
  const key = sandbox.keyFor(baseUrl)
  expect(key).toMatch(/^svc_test_write_[0-9a-f]{32}$/)
  const answer = await fetch(`${baseUrl}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://127.0.0.1:9/hook', events: ['session.processed'] }),
  })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { param: 'url', message: 'url: this service sends no webhooks.' },
  })
  if (process.platform !== 'win32') expect(statSync(path.join(data, 'sandbox')).mode & 0o777).toBe(0o700)
})
