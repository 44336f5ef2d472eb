import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import { createHashPool } from '../../main/agent/platform/hashing/hash-pool.ts'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { canMountHangingDrive, HangingDrive } from '../support/hanging-drive.ts'
import { needs } from '../support/needs.ts'
import { MIB, PART, Station, sha256OfFile, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const folder = (at: string) => ({ path: at, site: 'lab', settle_seconds: 0.3, part_size_bytes: PART })

const recordingAt = async (file: string) =>
  (await station.status()).recordings.find((one) => one.path === file)
const isIn = (file: string, state: string) => async () => (await recordingAt(file))?.state === state

test(
  'a hung drive delays only its own recordings, which continue when it answers',
  needs(canMountHangingDrive),
  async () => {
    station = await Station.open()
    const share = await HangingDrive.mount(station)
    station.configure({
      rest: {
        folders: [folder(share.folder), folder(station.recordings)],
        // Slow enough that recordings are still uploading when the drive hangs.
        transfer: { limit_mbit_per_s: 20, parallel_recordings: 1 },
      },
    })
    const onShare = (name: string) => path.join(share.folder, name)
    const longs = Array.from({ length: 4 }, (_, n) => onShare(`long_${n}.bin`))
    for (const [n, long] of longs.entries()) {
      writeFileSync(long, `a recording, ${n}`)
      truncateSync(long, 24 * MIB)
    }
    const agent = station.agent()
    await agent.waitForChange('the share is scanned', ({ path: file }) => longs.includes(file))
    // The recordings on the share use all upload slots. Once the share hangs, they must give up these slots.
    await until('the recordings are uploading', async () => {
      const { recordings } = await station.status()
      return recordings.filter(({ state }) => state === 'uploading').length >= 2
    })
    for (let n = 0; n < 20; n += 1) writeFileSync(onShare(`short_${n}.bin`), `short ${n}`)
    await until('the short recordings are found', async () => recordingAt(onShare('short_19.bin')))
    // Like a real recorder, the process `sleep` keeps one file open.
    const open = openSync(onShare('short_0.bin'), 'a')
    const recorder = spawn('sleep', ['infinity'], { stdio: ['ignore', open, 'ignore'] })
    closeSync(open)
    station.onClose(async () => void recorder.kill('SIGKILL'))
    share.hang()

    const local = path.join(station.recordings, 'local.bin')
    writeFileSync(local, Buffer.alloc(3 * MIB, 'of a drive that answers'))
    await until('the other drive’s recording is processed', isIn(local, 'processed'))
    await until('the share’s recording shows why it waits', async () => {
      const { recordings } = await station.status()
      return recordings.some(({ problem }) => problem?.code === 'file-busy')
    })
    const later = path.join(station.recordings, 'later.bin')
    writeFileSync(later, 'recorded while the share does not answer')
    await until('the next recording is processed', isIn(later, 'processed'))

    share.answer()
    recorder.kill()
    await until('everything is processed', async () => {
      const { recordings } = await station.status()
      return recordings.length === 26 && recordings.every(({ state }) => state === 'processed')
    })
    await station.expectAllSafe()
    expect((await station.status()).recordings.filter(({ problem }) => problem !== null)).toEqual([])
  },
)

test(
  'the hash pool gives up a hash on a hung drive, and hashes the next file on new threads',
  needs(canMountHangingDrive),
  async () => {
    station = await Station.open()
    const share = await HangingDrive.mount(station)
    const pool = createHashPool({ hungAfterTicks: 30 })
    station.onClose(() => pool.close())
    const hash = async (file: string) => {
      const identity = await identifyFile(file)
      if (!identity.ok) throw new Error(`${file} cannot be identified`)
      return () =>
        pool.hash({
          path: file,
          identity: identity.value,
          partSizeBytes: PART,
          onProgress: () => {},
          signal: new AbortController().signal,
        })
    }
    const [onShare, onDisk] = [
      path.join(share.folder, 'there.bin'),
      path.join(station.recordings, 'here.bin'),
    ]
    for (const file of [onShare, onDisk]) writeFileSync(file, Buffer.alloc(20 * MIB, file))
    const [hashOnShare, hashOnDisk] = [await hash(onShare), await hash(onDisk)]
    share.hang()
    const hungHash = hashOnShare()
    const nextHash = hashOnDisk()
    expect(await hungHash).toMatchObject({
      ok: false,
      failure: { kind: 'file-busy', detail: 'the drive did not answer (ETIMEDOUT)' },
    })
    expect(await nextHash).toMatchObject({ ok: true, value: { sha256: await sha256OfFile(onDisk) } })
    share.answer()
    const sha256 = await sha256OfFile(onShare)
    await expect.poll(hashOnShare).toMatchObject({ ok: true, value: { sha256 } })
  },
)

test(
  'Sluice abandons renames, moves and removals on a hung drive, and the file stays whole',
  needs(canMountHangingDrive),
  async () => {
    station = await Station.open()
    const share = await HangingDrive.mount(station)
    const platform = createPlatform({
      clock: systemClock,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      watchedFolders: () => [share.folder],
      knownFolders: () => [],
      targetFolders: () => [station.recordings],
      driveTimeoutMs: 200,
    })
    station.onClose(() => platform.close())
    const { operations } = platform
    const onShare = (name: string) => path.join(share.folder, name)
    const [file, aside] = [onShare('take.bin'), onShare('aside')]
    writeFileSync(file, 'whole')
    const identity = await identifyFile(file)
    if (!identity.ok) throw new Error(identity.failure.kind)
    share.hang()
    const refused = { kind: 'refused', detail: 'the drive did not answer (ETIMEDOUT)' }
    const { signal } = new AbortController()
    expect(await operations.hide(file, aside, identity.value)).toEqual(refused)
    expect(await operations.place(aside, file)).toEqual(refused)
    expect(await operations.remove(aside)).toEqual(refused)
    expect(await operations.makeFolder(onShare('night'))).toEqual(refused)
    expect(
      await operations.copy(path.join(station.recordings, 'none'), onShare('copy'), identity.value, signal),
    ).toEqual(refused)
    expect(await operations.realFolder(share.folder)).toBeNull()
    expect(await operations.sameDrive(file, station.recordings)).toBe(true)
    // Operations on another drive do not wait.
    writeFileSync(path.join(station.recordings, 'from'), 'other')
    expect(
      await operations.place(path.join(station.recordings, 'from'), path.join(station.recordings, 'to')),
    ).toEqual({ kind: 'done' })
    share.answer()
    // The drive may still carry out the abandoned rename, so the file may have either name.
    const isPlaced = async () => {
      const kinds = [(await operations.place(aside, onShare('again.bin'))).kind]
      kinds.push((await operations.place(file, onShare('again.bin'))).kind)
      return kinds.includes('done')
    }
    await expect.poll(isPlaced, { timeout: 20_000 }).toBe(true)
    expect(readdirSync(share.folder)).toEqual(['again.bin'])
    expect(readFileSync(onShare('again.bin'), 'utf8')).toBe('whole')
  },
)

test('a file on a hung drive does not hang the station check', needs(canMountHangingDrive), async () => {
  station = await Station.open()
  const share = await HangingDrive.mount(station)
  const authority = path.join(share.folder, 'ca.pem')
  writeFileSync(authority, 'no certificate')
  station.configure({ service: { ca_file: authority } })
  share.hang()
  const { code, err } = await station.command('doctor', '--settings', station.settingsFile)
  expect(code).toBe(1)
  expect(err).toContain('The checks did not finish within 30 s.')
})
