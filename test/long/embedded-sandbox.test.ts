import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmbeddedSandbox, type SandboxChild } from '../../main/shell/sandbox/embedded-sandbox.ts'
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

const openSandbox = (): EmbeddedSandbox => {
  const sandbox = new EmbeddedSandbox(data, start)
  sandboxes.push(sandbox)
  return sandbox
}

const statusOfRequest = async (sandbox: EmbeddedSandbox, baseUrl: string): Promise<number> => {
  const headers = { authorization: `Bearer ${sandbox.keyFor(baseUrl)}` }
  return (await fetch(`${baseUrl}/v1/sessions`, { headers })).status
}

test('the embedded sandbox restarts on its old port, and only for a station that uses it', async () => {
  const first = openSandbox()
  const baseUrl = await first.start()
  await first.close()
  const next = openSandbox()
  await next.startIfUsed('https://api.example.com')
  await next.startIfUsed(undefined)
  expect(children).toHaveLength(1)
  await next.startIfUsed(baseUrl)
  expect(children).toHaveLength(2)
  expect(await statusOfRequest(next, baseUrl)).toBe(200)
})

test('Sluice recognises the address of the embedded sandbox even while the sandbox is stopped', async () => {
  const first = openSandbox()
  expect(first.hasAddress('http://127.0.0.1:1')).toBe(false)
  const baseUrl = await first.start()
  await first.close()
  const next = openSandbox()
  const { port } = new URL(baseUrl)
  for (const [address, expected] of [
    [baseUrl, true],
    [`http://localhost:${port}`, true],
    [`https://127.0.0.1:${port}`, false],
    [`http://127.0.0.1:${Number(port) === 65_535 ? 1024 : Number(port) + 1}`, false],
    [`http://192.0.2.1:${port}`, false],
    ['https://api.example.com', false],
    [undefined, false],
  ] as const)
    for (const sandbox of [first, next]) expect(sandbox.hasAddress(address), address).toBe(expected)
})

test('Sluice explains in one sentence why the embedded sandbox cannot start, and can start it after the fix', async () => {
  const blockingFile = path.join(data, 'sandbox')
  writeFileSync(blockingFile, 'not a folder')
  const sandbox = openSandbox()
  await expect(sandbox.start()).rejects.toThrow(/^The data folder .* cannot be used/)
  expect(sandbox.health).toMatchObject({ state: 'stopped' })
  rmSync(blockingFile)
  mkdirSync(blockingFile)
  expect(await statusOfRequest(sandbox, await sandbox.start())).toBe(200)
})
