import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { EnvHttpProxyAgent, request } from 'undici'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { sendCanary } from '../../../../main/agent/platform/folders/canary.ts'
import { createFolderFilter } from '../../../../main/agent/platform/folders/folder-filter.ts'
import { readPmset, readPowercfg, readSystemctl } from '../../../../main/agent/platform/sleep-policy.ts'
import { checkCertificate, checkName, checkProxy } from '../../../../main/agent/service/connection-check.ts'
import {
  judgeClock,
  judgeFreeSpace,
  judgeInotify,
  judgeSleep,
  judgeThroughput,
} from '../../../../shared/ipc/station-check.ts'
import { linuxPaths } from '../../../../shared/paths/paths.ts'
import { CANARY_NAME } from '../../../../shared/paths/system-names.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-check-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const neverAborted = new AbortController().signal

test('the check sees a change in the folder with a canary file, and removes the file', async () => {
  expect(await sendCanary(folder, linuxPaths, neverAborted)).toEqual({ kind: 'seen' })
  expect(readdirSync(folder)).toEqual([])
})

test('the check does not remove a foreign file with the name of the canary', async () => {
  const file = path.join(folder, CANARY_NAME)
  writeFileSync(file, 'a recording of the user')
  expect(await sendCanary(folder, linuxPaths, neverAborted)).toMatchObject({ kind: 'read-only' })
  expect(readdirSync(folder)).toEqual([CANARY_NAME])
  rmSync(file)
  expect(await sendCanary(folder, linuxPaths, neverAborted)).toEqual({ kind: 'seen' })
})

test('a canary never becomes a recording, even without exclude patterns', () => {
  const filter = createFolderFilter({ include: ['**/*'], exclude: [], recursive: true })
  expect(filter.takesFile(CANARY_NAME)).toBe(false)
  expect(filter.takesFile(`deep/${CANARY_NAME}`)).toBe(false)
  expect(filter.takesFile('take.tmp')).toBe(true)
})

test.each([
  [null, 'skip'],
  [400, 'pass'],
  [-59_000, 'pass'],
  [600_000, 'warn'],
])('the verdict for a clock that is %s ms off is %s', (offsetMs, verdict) => {
  expect(judgeClock(offsetMs).verdict).toBe(verdict)
})

test.each([
  [null, 'skip'],
  [100_000_000, 'fail'],
  [2_000_000_000, 'warn'],
  [90_000_000_000, 'pass'],
])('the verdict for %s bytes of free space is %s', (bytes, verdict) => {
  expect(judgeFreeSpace(bytes).verdict).toBe(verdict)
})

test.each([
  [null, 5, 'skip'],
  [8192, null, 'skip'],
  [8192, 100, 'pass'],
  [8192, 5000, 'warn'],
  [8192, 9000, 'fail'],
])('the verdict for %s allowed and %s needed watches is %s', (watches, needed, verdict) => {
  const limits = watches === null ? null : { watches, instances: 128 }
  expect(judgeInotify(limits, needed).verdict).toBe(verdict)
})

test('the throughput is measured only over the time with uploads', () => {
  const throughput = (bucketSeconds: number, ...bytes: number[]) => ({ bucketSeconds, endsAt: '', bytes })
  expect(judgeThroughput(throughput(10, 0, 0), throughput(600, 0)).verdict).toBe('skip')
  expect(judgeThroughput(throughput(10, 0, 100_000_000), throughput(600, 0)).sentence).toContain('10.0 MB/s')
  expect(judgeThroughput(throughput(10, 0, 0), throughput(600, 0, 600_000_000)).sentence).toContain(
    '1.0 MB/s',
  )
})

test('Sluice reads the sleep timeout in any language of the system', () => {
  const german = `
    Index der aktuellen Wechselstromeinstellung: 0x00000708
    Index der aktuellen Gleichstromeinstellung: 0x0000012c
`
  expect(readPowercfg(german)).toEqual({ kind: 'after', minutes: 30 })
  expect(readPowercfg(german.replace('00000708', '00000000'))).toEqual({ kind: 'never' })
  expect(readPowercfg('Zugriff verweigert')).toEqual({ kind: 'unknown' })
  const mac = 'Battery Power:\n displaysleep 2\n sleep 1\nAC Power:\n displaysleep 10\n sleep 0\n'
  expect(readPmset(mac)).toEqual({ kind: 'never' })
  expect(readPmset(mac.replace('sleep 0', 'sleep 15'))).toEqual({ kind: 'after', minutes: 15 })
  expect(readPmset('')).toEqual({ kind: 'unknown' })
  expect(readSystemctl('masked\n')).toEqual({ kind: 'never' })
  expect(readSystemctl('static\n')).toEqual({ kind: 'unknown' })
})

test('the check does not claim that Sluice keeps a PC awake without the app', () => {
  const sleepsSoon = { kind: 'after', minutes: 30 } as const
  expect(judgeSleep(sleepsSoon, true).next).toMatch(/^While the app runs, it keeps the PC awake/)
  expect(judgeSleep(sleepsSoon, false).next).not.toContain('awake')
})

test('skips the name lookup, the proxy and the certificate for a service on this PC', async () => {
  const proxy = { kind: 'url', url: 'http://user:secret@127.0.0.1:1' } as const
  expect(await checkName('http://127.0.0.1:8000', proxy)).toMatchObject({ verdict: 'pass' })
  expect(await checkProxy('http://127.0.0.1:8000', proxy, neverAborted)).toMatchObject({ verdict: 'pass' })
  expect(await checkCertificate('http://127.0.0.1:8000', proxy, undefined, 0, neverAborted)).toMatchObject({
    verdict: 'skip',
  })
})

test('a proxy that does not answer is named without its password', async () => {
  const proxy = { kind: 'url', url: 'http://user:secret@127.0.0.1:1' } as const
  const verdict = await checkProxy('https://api.example.com', proxy, neverAborted)
  expect(verdict).toMatchObject({ verdict: 'fail' })
  expect(verdict.sentence).toBe('127.0.0.1:1 does not answer (ECONNREFUSED).')
  expect(await checkName('https://api.example.com', proxy)).toMatchObject({ verdict: 'skip' })
})

test('a service with https uses the http proxy of the environment if there is no https proxy', async () => {
  for (const name of ['no_proxy', 'NO_PROXY', 'https_proxy', 'HTTPS_PROXY', 'HTTP_PROXY'])
    vi.stubEnv(name, undefined)
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const verdict = await checkProxy('https://api.example.com', { kind: 'environment' }, neverAborted)
  expect(verdict.sentence).toBe('127.0.0.1:1 does not answer (ECONNREFUSED).')
})

test.each([
  ['api.example.com', 'skipped'],
  ['.example.com', 'skipped'],
  ['*.EXAMPLE.com other.org', 'skipped'],
  ['api.example.com:443', 'skipped'],
  ['*', 'skipped'],
  ['api.example.com:8443', 'used'],
  ['*.api.example.com', 'used'],
  ['ample.com,::1', 'used'],
])('with no_proxy=%s, the proxy is %s, as in undici', async (noProxy, expected) => {
  vi.stubEnv('NO_PROXY', undefined)
  vi.stubEnv('no_proxy', noProxy)
  vi.stubEnv('https_proxy', 'http://127.0.0.1:1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const dispatcher = new EnvHttpProxyAgent({
    connect: { lookup: (_, __, done) => done(new Error('no lookup'), []) },
  })
  const error = await request('https://api.example.com', { dispatcher }).catch((thrown: Error) => thrown)
  expect(String(error)).toContain(expected === 'used' ? 'ECONNREFUSED' : 'no lookup')
  const verdict = await checkProxy('https://api.example.com', { kind: 'environment' }, neverAborted)
  expect(verdict.verdict).toBe(expected === 'used' ? 'fail' : 'pass')
})

test('an invalid CA file is reported before any connection', async () => {
  const caFile = path.join(folder, 'ca.pem')
  writeFileSync(caFile, 'no certificate')
  const verdict = await checkCertificate('https://127.0.0.1:1', { kind: 'none' }, caFile, 0, neverAborted)
  expect(verdict).toMatchObject({ verdict: 'fail', next: expect.stringContaining('ca_file') })
})

test('the certificate is not checked if the name of the service cannot be resolved', async () => {
  const finding = await checkCertificate(
    'https://service.invalid',
    { kind: 'none' },
    undefined,
    Date.now(),
    neverAborted,
  )
  expect(finding).toMatchObject({ verdict: 'skip', sentence: expect.stringMatching(/no connection/) })
})
