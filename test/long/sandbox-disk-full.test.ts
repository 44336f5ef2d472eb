import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launch } from '../contract/sandbox-process.ts'
import { expectError, expectStorageError, patterned, Service } from '../contract/service.ts'
import { mountedDisk, needs } from '../support/needs.ts'

const diskBytes = 8 * 1024 * 1024
const partSizeBytes = 1_000_000

/** Mounts a small file system for the duration of the test. */
function mountSmallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder], { stdio: 'ignore' })
  onTestFinished(() => {
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

async function fillDisk(ballastFile: string, folder: string, freeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  await writeFile(ballastFile, Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)))
}

/** Creates sessions until the free space in SQLite’s pages is used too. */
async function createUntilFull(service: Service, notesLength: number) {
  const notes = 'x'.repeat(notesLength)
  const body = { site: 'full', filename: 'a.bin', bytes: 1, sha256: 'a'.repeat(64), part_size: 1_000, notes }
  for (;;) {
    const answer = await service.call('POST', '/v1/sessions', { body })
    if (answer.status !== 200) return answer
  }
}

test(
  'on a full disk, writes get 5xx and leave no partial data; uploads continue once there is free space',
  needs(mountedDisk),
  async () => {
    const folder = mountSmallDisk()
    const data = join(folder, 'data')
    const ballastFile = join(folder, 'ballast')
    const sandbox = await launch(
      ...['--data', data, '--min-part-size', '1000', '--processing-delay', '0', '--control'],
    )
    onTestFinished(async () => void (await sandbox.stop()))
    const service = new Service(sandbox)
    const bytes = patterned(2 * partSizeBytes)
    const { id, upload } = await service.create(bytes, { partSizeBytes })
    const [first, second] = upload.parts as [(typeof upload.parts)[0], (typeof upload.parts)[0]]
    const etags = await service.putParts([first], bytes, partSizeBytes)

    await fillDisk(ballastFile, folder, partSizeBytes / 2)
    expectStorageError(await service.put(second.url, bytes.subarray(partSizeBytes)), 500, 'InternalError')
    await service.waitUntilNoOrphans()
    expect((await service.retrieve(id)).upload!.parts.map(({ number }) => number)).toEqual([2])
    const storedObject = (await service.operate('GET', `/objects/${id}`)) as { parts: { number: number }[] }
    expect(storedObject.parts.map(({ number }) => number)).toEqual([1])

    await rm(ballastFile)
    await fillDisk(ballastFile, folder, 0)
    expectError(await createUntilFull(service, 10_000), 500, 'api_error')
    // A deletion needs at least as much space as a session without notes, so it fails too. It changes nothing: the
    // upload further down continues.
    expectError(await createUntilFull(service, 0), 500, 'api_error')
    expectError(await service.call('DELETE', `/v1/sessions/${id}`), 500, 'api_error')
    const listAnswer = await service.call('GET', '/v1/sessions?site=full')
    expect(listAnswer.status).toBe(200)

    await rm(ballastFile)
    for (const [number, etag] of await service.putParts([second], bytes, partSizeBytes))
      etags.set(number, etag)
    expect((await service.complete(id, etags)).status).toBe(200)
    expect((await service.waitUntilProcessed(id)).status).toBe('processed')
    expect(await sandbox.stop()).toBe(0)
  },
)

test(
  'if many concurrent writes fill the disk, the sandbox keeps exactly those that it answered with 200',
  needs(mountedDisk),
  async () => {
    const folder = mountSmallDisk()
    const sandbox = await launch('--data', join(folder, 'data'), '--min-part-size', '1000')
    onTestFinished(async () => void (await sandbox.stop()))
    const service = new Service(sandbox)
    await fillDisk(join(folder, 'ballast'), folder, 300_000)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        service.call('POST', '/v1/sessions', {
          body: {
            site: 'at-once',
            filename: 'a.bin',
            bytes: 1,
            sha256: 'a'.repeat(64),
            part_size: 1_000,
            notes: 'x'.repeat(n % 2 === 0 ? 10_000 : 1),
          },
        }),
      ),
    )
    const refusals = answers.filter(({ status }) => status !== 200)
    expect(refusals.length).toBeGreaterThan(0)
    for (const answer of refusals) expectError(answer, 500, 'api_error')
    const listedSessions = (await service.call('GET', '/v1/sessions?site=at-once&limit=500')).json().data
    const createdIds = answers.filter(({ status }) => status === 200).map((answer) => answer.json().id)
    expect((listedSessions as { id: string }[]).map(({ id }) => id).sort()).toEqual(createdIds.sort())
  },
)

test('on a full disk, the sandbox does not start and prints one sentence', needs(mountedDisk), async () => {
  const folder = mountSmallDisk()
  await fillDisk(join(folder, 'ballast'), folder, 0)
  await expect(launch('--data', join(folder, 'data'))).rejects.toThrow(/did not start: [^\n]+\.\n$/)
})
