import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launch, runToEnd } from './sandbox-process.ts'
import { patterned, Service } from './service.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-command-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

test('the first line on stdout says where it serves and with which keys', async () => {
  const sandbox = await launch('--port', '0', '--data', await folder())
  expect(JSON.parse(sandbox.firstLine)).toEqual({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    upload_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    keys: {
      write: expect.stringMatching(/^svc_test_/),
      read: expect.stringMatching(/^svc_test_/),
      revoked: expect.stringMatching(/^svc_test_/),
      other_org: expect.stringMatching(/^svc_test_/),
    },
  })
  expect(await sandbox.stop()).toBe(0)
  expect(sandbox.stderr()).toBe('')
})

test('SIGTERM ends it with code 0 even while clients hold connections and an upload stands still', async () => {
  const sandbox = await launch('--min-part-size', '1000', '--control')
  const service = new Service(sandbox)
  await service.operate('POST', '/faults', { route: 'put_part', effect: { kind: 'stall', after_bytes: 1 } })
  const created = await service.create(patterned(1_000))
  const stalled = service.put(created.upload.parts[0]!.url, patterned(1_000)).catch(() => 'cut')
  expect((await service.operate('GET', '/stats')).routes).toBeDefined()
  expect(await sandbox.stop()).toBe(0)
  expect(await stalled).toBe('cut')
})

test('sessions, parts and keys are the same after a restart, and samples are seeded once', async () => {
  const data = await folder()
  const first = await launch('--data', data, '--min-part-size', '1000')
  const before = new Service(first)
  const bytes = patterned(2_500)
  const created = await before.create(bytes)
  const etags = await before.putParts(created.upload.parts.slice(0, 2), bytes, 1_000)
  const listed = (await before.call('GET', '/v1/sessions')).json().data
  expect(await first.stop()).toBe(0)

  const second = await launch('--data', data, '--min-part-size', '1000')
  onTestFinished(() => void second.stop())
  expect(second.keys).toEqual(first.keys)
  const after = new Service(second)
  expect((await after.call('GET', '/v1/sessions')).json().data).toEqual(listed)
  const { upload } = await after.retrieve(created.id)
  expect(upload!.parts.map((part) => part.number)).toEqual([3])
  const rest = await after.putParts(upload!.parts, bytes, 1_000)
  expect((await after.complete(created.id, new Map([...etags, ...rest]))).status).toBe(200)
})

test('a second start on one folder is refused in one sentence, and the first goes on', async () => {
  const data = await folder()
  const sandbox = await launch('--data', data)
  onTestFinished(() => void sandbox.stop())
  const refused = await runToEnd('--data', data)
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `The data folder ${data} is in use by another sandbox.\n`,
  })
  expect((await new Service(sandbox).call('GET', '/v1/sessions')).status).toBe(200)
})

test.each([
  ['an unknown flag', ['--bogus']],
  ['a stray word', ['serve']],
  ['a port that is none', ['--port', '99999']],
  ['a negative lifetime', ['--url-lifetime=-5']],
  ['a header name that is none', ['--checksum-header', 'a b']],
  ['a data folder that is a file', ['--data', '/etc/hostname']],
  ['a data folder below a file', ['--data', '/etc/hostname/data']],
  ['an empty data folder name', ['--data', '']],
  ['a scenario that is not there', ['--scenario', '/nonexistent.json']],
])('%s is refused in one sentence without a stack trace', async (_, flags) => {
  const { code, stdout, stderr } = await runToEnd(...flags)
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^[^\n]+\.\n$/)
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('a scenario with an unknown effect is refused with the place that is wrong', async () => {
  const file = join(await folder(), 'scenario.json')
  await writeFile(file, JSON.stringify({ faults: [{ route: 'create', effect: { kind: 'explode' } }] }))
  const { code, stderr } = await runToEnd('--scenario', file)
  expect(code).toBe(1)
  expect(stderr).toContain('faults[0].effect')
})

test('a folder with a foreign or damaged database is refused and left as it is', async () => {
  const data = await folder()
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'sandbox.db'), 'this is not a database, but long enough to look at'.repeat(50))
  const { code, stderr } = await runToEnd('--data', data)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The data folder .* holds a sandbox\.db that is not a sandbox's\.\n$/)
})

test('--help explains every flag and starts nothing', async () => {
  const { code, stdout } = await runToEnd('--help')
  expect(code).toBe(0)
  for (const flag of [
    '--port',
    '--data',
    '--url-lifetime',
    '--processing-delay',
    '--rate-limit',
    '--scenario',
  ]) {
    expect(stdout).toContain(flag)
  }
})

test('the request log is off by default and never holds a key or a signature', async () => {
  const sandbox = await launch('--min-part-size', '1000', '--verbose')
  onTestFinished(() => void sandbox.stop())
  const service = new Service(sandbox)
  const id = await service.upload(patterned(2_500))
  await service.processed(id)
  await service.call('GET', '/v1/sessions?site=secret-site', { key: sandbox.keys.revoked })
  await sandbox.stop()
  expect(sandbox.stderr()).toContain(`PUT part ${id}/1 200`)
  for (const secret of ['svc_test_', 'X-Amz', 'Signature', 'secret-site'])
    expect(sandbox.stderr()).not.toContain(secret)
})
