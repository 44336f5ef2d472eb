import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCliOptions } from '../../sandbox/cli-options.ts'
import { StartError } from '../../server/start-error.ts'
import { launch, runToEnd } from '../contract/sandbox-process.ts'
import { patterned, Service } from '../contract/service.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-command-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

test('the first line on stdout has the addresses and keys', async () => {
  const sandbox = await launch('--port', '0', '--data', await folder())
  expect(JSON.parse(sandbox.firstLine)).toEqual({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    upload_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    keys: {
      write: expect.stringMatching(/^svc_test_/),
      read: expect.stringMatching(/^svc_test_/),
      revoked: expect.stringMatching(/^svc_test_/),
      other_org: expect.stringMatching(/^svc_test_/),
      live: expect.stringMatching(/^svc_live_/),
    },
  })
  expect(await sandbox.stop()).toBe(0)
  expect(sandbox.stderr()).toBe('')
})

test('sessions, parts and keys are the same after a restart, which does not add the sample sessions again', async () => {
  const data = await folder()
  const first = await launch('--data', data, '--min-part-size', '1000')
  const before = new Service(first)
  const bytes = patterned(2_500)
  const created = await before.create(bytes)
  const etags = await before.putParts(created.upload.parts.slice(0, 2), bytes, 1_000)
  const sessions = (await before.call('GET', '/v1/sessions')).json().data
  expect(await first.stop()).toBe(0)

  const second = await launch('--data', data, '--min-part-size', '1000')
  onTestFinished(async () => void (await second.stop()))
  expect(second.keys).toEqual(first.keys)
  const after = new Service(second)
  expect((await after.call('GET', '/v1/sessions')).json().data).toEqual(sessions)
  const { upload } = await after.retrieve(created.id)
  expect(upload!.parts.map((part) => part.number)).toEqual([3])
  const remainingEtags = await after.putParts(upload!.parts, bytes, 1_000)
  expect((await after.complete(created.id, new Map([...etags, ...remainingEtags]))).status).toBe(200)
})

test('a second sandbox on the same data folder is refused in one sentence, and the first sandbox continues', async () => {
  const data = await folder()
  const sandbox = await launch('--data', data)
  onTestFinished(async () => void (await sandbox.stop()))
  const refused = await runToEnd('--data', data)
  expect(refused).toEqual({
    code: 1,
    out: '',
    err: `The data folder ${data} is in use by another sandbox.\n`,
  })
  expect((await new Service(sandbox).call('GET', '/v1/sessions')).status).toBe(200)
})

const unusable: Readonly<Record<string, readonly string[]>> = {
  port: ['-1', '65536', '1.5', 'http', ''],
  'upload-port': ['-1', '65536', 'x', ''],
  data: ['', ' ', '/etc/hostname', '/etc/hostname/data', '/proc/nowhere/data', `/tmp/${'x'.repeat(300)}`],
  'url-lifetime': ['0', '-5', '604801', '1e3', 'hour'],
  'processing-delay': ['-1', '86400001', '0.5', 'soon'],
  'rate-limit': ['0', '-1', '9999999999', 'none'],
  'min-part-size': ['0', '-1', '512000001', '8MB'],
  'client-timeout': ['0', '-1', '86401', '99999999999999999999', 'long'],
  'checksum-header': ['', 'a b', 'content-length', 'host', '__proto__', 'x-\u00e9-checksum-sha256'],
  scenario: ['', '/nonexistent.json', '/tmp', '/dev/null'],
  control: ['yes'],
}

const flagCases = (flag: string, values: readonly string[]) =>
  values.map((value): [string, string[]] => [`--${flag}=${value.slice(0, 30)}`, [`--${flag}=${value}`]])

test.each(
  Object.entries(unusable).flatMap(([flag, values]) => (flag === 'data' ? [] : flagCases(flag, values))),
)('%s is refused with one sentence', (_, flags) => {
  expect(() => readCliOptions(flags)).toThrow(StartError)
  expect(() => readCliOptions(flags)).toThrow(/^[^\n]+\.$/)
})

test.each<[string, string[]]>([
  ['an unknown flag', ['--bogus']],
  ['a stray word', ['serve']],
  ['a flag without its value', ['--port']],
  ['a value that looks like a flag', ['--port', '-5']],
  ['one port for both servers', ['--port', '48211', '--upload-port', '48211']],
  // One wrong port is enough, because the test above covers parsing. Wrong folders fail only at a real start.
  ...flagCases('port', ['-1']),
  ...flagCases('data', unusable.data ?? []),
])('%s is refused in one sentence without a stack trace', async (_, flags) => {
  const { code, out, err } = await runToEnd(...flags)
  expect(err).toMatch(/^[^\n]+\.\n$/)
  expect(err).not.toMatch(/^\s+at /m)
  expect(out).toBe('')
  expect(code).toBe(1)
})

test.each([
  ['the smallest', '0', '1', '1'],
  ['the largest', '86400000', '86400', '604800'],
  ['ordinary', '1000', '600', '60'],
])('%s values of the flags work', async (_, delayMs, timeoutS, lifetimeS) => {
  const sandbox = await launch(
    ...['--processing-delay', delayMs, '--client-timeout', timeoutS, '--url-lifetime', lifetimeS],
    ...['--min-part-size', delayMs === '0' ? '1' : '512000000', '--rate-limit', '1000000000', '--control'],
  )
  onTestFinished(async () => void (await sandbox.stop()))
  const service = new Service(sandbox)
  // Stops the clock. Otherwise, a URL that is valid for one second may expire before the test uses it.
  await service.operate('POST', '/clock', { offset_s: 0, frozen: true })
  const partSizeBytes = delayMs === '0' ? 1 : 512_000_000
  const id = await service.upload(patterned(2), { partSizeBytes })
  expect((await service.retrieve(id)).id).toBe(id)
})

test('a scenario with an unknown effect is refused, and the message names the position of the effect', async () => {
  const file = join(await folder(), 'scenario.json')
  await writeFile(file, JSON.stringify({ faults: [{ route: 'create', effect: { kind: 'explode' } }] }))
  const { code, err } = await runToEnd('--scenario', file)
  expect(code).toBe(1)
  expect(err).toContain('faults[0].effect')
})

test.each([
  ['a clock beyond the last valid date', { clock_offset_s: 1e15 }, ' at clock_offset_s: '],
  ['a delay too long for a timer', latency(1e12), ' at faults[0].effect.ms: '],
  ['a list instead of an object', [], ' is invalid: '],
])('a scenario with %s is refused in one sentence', async (_, scenario, position) => {
  const file = join(await folder(), 'scenario.json')
  await writeFile(file, JSON.stringify(scenario))
  const { code, err } = await runToEnd('--scenario', file)
  expect(code).toBe(1)
  expect(err).toMatch(/^[^\n]+\.\n$/)
  expect(err).toContain(position)
})

function latency(ms: number) {
  return { faults: [{ route: 'list', effect: { kind: 'latency', ms } }] }
}

test('a folder whose sandbox.db is not the database of a sandbox is refused', async () => {
  const data = await folder()
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'sandbox.db'), 'this is not a database, but as long as one'.repeat(50))
  const { code, err } = await runToEnd('--data', data)
  expect(code).toBe(1)
  expect(err).toMatch(/^The data folder .* contains a sandbox\.db that does not belong to a sandbox\.\n$/)
})

test('--help explains the flags and starts nothing', async () => {
  const { code, out } = await runToEnd('--help')
  expect(code).toBe(0)
  for (const flag of [
    '--port',
    '--data',
    '--url-lifetime',
    '--processing-delay',
    '--rate-limit',
    '--scenario',
  ]) {
    expect(out).toContain(flag)
  }
})

test('the request log of --verbose contains no key, no signature and no query', async () => {
  const sandbox = await launch('--min-part-size', '1000', '--verbose')
  onTestFinished(async () => void (await sandbox.stop()))
  const service = new Service(sandbox)
  const id = await service.upload(patterned(2_500))
  await service.waitUntilProcessed(id)
  await service.call('GET', '/v1/sessions?site=secret-site', { key: sandbox.keys.revoked })
  await sandbox.stop()
  expect(sandbox.stderr()).toContain(`PUT part ${id}/1 200`)
  for (const secret of ['svc_test_', 'X-Amz', 'Signature', 'secret-site'])
    expect(sandbox.stderr()).not.toContain(secret)
})
