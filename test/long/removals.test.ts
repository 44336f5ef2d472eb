import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal } from '../support/journal-file.ts'
import { linux, mountedDisk, needs } from '../support/needs.ts'
import { findLeftovers, readRemovalRows, recordNight } from '../support/removal-kills.ts'
import { Station, sha256OfFile, until } from '../support/station.ts'

/**
 * Runs the agent and the sandbox as processes with real files, and checks which files Sluice removes. To remove a file,
 * Sluice renames it to a hidden name (`.sluice-removing-…`) and checks it once more under that name.
 */

let station: Station
afterEach(() => station.close())

const pathOf = (...names: string[]) => path.join(station.recordings, ...names)
const DELETE = { after_upload: { action: 'delete', days: 0 } }

test(
  'a file stays if its session was deleted or a program has it open; an edited file stays until its edit is uploaded',
  needs(linux),
  async () => {
    station = await Station.openLive()
    await recordNight(station, 4)
    const [editedFile, deletedFile, openFile, safeFile] = [0, 1, 2, 3].map((index) =>
      pathOf('night', `take-${index}.bin`),
    ) as [string, string, string, string]
    // Restore the modification time to the nanosecond, so it does not show the edit.
    const times = path.join(station.root, 'times')
    execFileSync('touch', ['-r', editedFile, times])
    const handle = openSync(editedFile, 'r+')
    writeSync(handle, 'edited', 0)
    closeSync(handle)
    execFileSync('touch', ['-r', times, editedFile])
    const session = readRemovalRows(station).find((row) => row.path === deletedFile)?.session_id
    await station.api(`/v1/sessions/${session}`, { method: 'DELETE' })
    const writer = openSync(openFile, 'a')
    const editedSha256 = await sha256OfFile(editedFile)
    station.configure({ folder: DELETE })
    const agent = station.agent()
    const readWaits = () =>
      readJournal<{ path: string; waits: string }>(
        station.data,
        'SELECT path, waits FROM removals JOIN recordings ON recordings.id = recording_id WHERE waits IS NOT NULL',
      )
    // `interrupted` is not final: the agent retries at once.
    const waitReasons = await until('the safe file is gone, and the others wait', () => {
      const waitsByPath = new Map(readWaits().map((row) => [row.path, row.waits]))
      const areJudged = [editedFile, deletedFile, openFile].every(
        (file) => (waitsByPath.get(file) ?? 'interrupted') !== 'interrupted',
      )
      return areJudged && !existsSync(safeFile) && waitsByPath
    })
    // Sluice uploads the new content in a new session, and removes the file when that session is processed.
    await until('the edited content is processed and removed', () =>
      readJournal<{ state: string; removed_at: number | null }>(
        station.data,
        `SELECT state, removed_at FROM recordings WHERE sha256 = '${editedSha256}'`,
      ).some(({ state, removed_at }) => state === 'processed' && removed_at !== null),
    )
    await agent.kill('SIGTERM')
    closeSync(writer)
    expect([editedFile, deletedFile, openFile].map((file) => existsSync(file))).toEqual([false, true, true])
    expect(waitReasons.get(editedFile)).toBe('file-changed')
    expect(waitReasons.get(openFile)).toBe('file-open')
    expect(waitReasons.get(deletedFile)).toBe('not-processed')
  },
)

test('with a test key, no file is removed, and status and preview say so', async () => {
  station = await Station.open()
  await recordNight(station, 2)
  station.configure({ folder: DELETE })
  // `--until-idle` also waits for due removals.
  expect(await station.runToIdle()).toBe(0)
  for (const index of [0, 1]) expect(existsSync(pathOf('night', `take-${index}.bin`))).toBe(true)
  expect((await station.sluice('status')).out).toContain('Test key: nothing here reaches production.')
  const preview = await station.sluice('preview', '--settings', station.settingsFile)
  expect(preview.out).toContain('This rule does not apply, because the key is a test key.')
})

test(
  'a full target drive puts the move on hold, and a move never overwrites a file',
  needs(mountedDisk),
  async () => {
    station = await Station.openLive()
    const contents = await recordNight(station, 1, 900_000)
    const archive = path.join(station.root, 'archive')
    station.mount(archive, 'size=1m')
    mkdirSync(path.join(archive, 'night'))
    writeFileSync(path.join(archive, 'night', 'take-0.bin'), 'a file of the user')
    writeFileSync(path.join(archive, 'filler'), Buffer.alloc(600_000))
    station.configure({ folder: { after_upload: { action: 'move', to: archive, days: 0 } } })
    const blockedAgent = station.agent()
    await until('the move waits for free space', () =>
      readJournal<{ waits: string }>(station.data, 'SELECT waits FROM removals').some(
        ({ waits }) => waits === 'target-full',
      ),
    )
    await blockedAgent.kill('SIGTERM')
    expect(findLeftovers(archive)).toEqual([])
    expect(await sha256OfFile(pathOf('night', 'take-0.bin'))).toBe(
      contents.get(path.join('night', 'take-0.bin')),
    )
    writeFileSync(path.join(archive, 'filler'), '')
    // `--until-idle` also waits for due removals.
    expect(await station.runToIdle()).toBe(0)
    expect(readRemovalRows(station)[0]?.removed_at).not.toBeNull()
    expect(readFileSync(path.join(archive, 'night', 'take-0.bin'), 'utf8')).toBe('a file of the user')
    expect(readRemovalRows(station)[0]?.moved_to).toBe(path.join(archive, 'night', 'take-0 (2).bin'))
  },
)

test.each([
  ['deleted', () => DELETE],
  [
    'moved to a different drive',
    () => {
      const archive = path.join(station.root, 'archive')
      station.mount(archive, 'size=8m')
      return { after_upload: { action: 'move', to: archive, days: 0 } }
    },
  ],
])(
  'a write between the rename and the second check for writers is not lost while a file is %s',
  needs(mountedDisk),
  async (_, rule) => {
    station = await Station.openLive()
    await recordNight(station, 1)
    const file = pathOf('night', 'take-0.bin')
    const lateContent = Buffer.concat([Buffer.from('written late'), readFileSync(file).subarray(12)])
    const countRetrievals = async () => (await station.stats()).routes.retrieve ?? 0
    const retrievalsBefore = await countRetrievals()
    await station.fault({ route: 'retrieve', count: 1, effect: { kind: 'latency', ms: 3_000 } })
    station.configure({ folder: rule() })
    const agent = station.agent()
    // The writer opens the file after the first check for writers. It writes and closes the file after the rename,
    // while the agent is stopped, so the second check finds no writer.
    await until(
      'Sluice reads the session at the service',
      async () => (await countRetrievals()) > retrievalsBefore,
    )
    const writer = openSync(file, 'r+')
    const renameWatcher = watch(pathOf('night'), (_event, name) => {
      if (name?.includes('.sluice-removing-') !== true) return
      renameWatcher.close()
      agent.child.kill('SIGSTOP')
      writeSync(writer, lateContent, 0, lateContent.length, 0)
      closeSync(writer)
      agent.child.kill('SIGCONT')
    })
    const sha256 = createHash('sha256').update(lateContent).digest('hex')
    await until('the late write is uploaded as well', () =>
      readJournal<{ state: string }>(
        station.data,
        `SELECT state FROM recordings WHERE sha256 = '${sha256}'`,
      ).some(({ state }) => state === 'processed'),
    )
    await agent.kill('SIGTERM')
  },
)

test.each([
  ['its own watched folder', '.'],
  ['its own subfolder', 'night'],
])('no file is moved or copied to a second mount of %s', needs(mountedDisk), async (_, folder) => {
  station = await Station.openLive()
  const contents = await recordNight(station, 1)
  const archive = path.join(station.root, 'archive')
  mkdirSync(archive)
  execFileSync('mount', ['--bind', path.join(station.recordings, folder), archive])
  try {
    station.configure({ folder: { after_upload: { action: 'move', to: archive, days: 0 } } })
    const agent = station.agent()
    const readWaits = () =>
      readJournal<{ waits: string | null }>(station.data, 'SELECT waits FROM removals').map(
        (row) => row.waits,
      )
    await until(
      'the target is refused, or the file is moved',
      () =>
        readWaits().includes('target-watched') ||
        readRemovalRows(station).some((row) => row.removed_at !== null),
    )
    await agent.kill('SIGTERM')
    expect(readWaits()).toEqual(['target-watched'])
    expect(readdirSync(pathOf('night'))).toEqual(['take-0.bin'])
    expect(await sha256OfFile(pathOf('night', 'take-0.bin'))).toBe(
      contents.get(path.join('night', 'take-0.bin')),
    )
  } finally {
    execFileSync('umount', ['-l', archive])
  }
})

test('a hidden file gets its name back if the agent stops during its second poll', needs(linux), async () => {
  station = await Station.openLive()
  await recordNight(station, 1)
  const countRetrievals = async () => (await station.stats()).routes.retrieve ?? 0
  const retrievalsBefore = await countRetrievals()
  // Before Sluice removes a small file, it polls the session twice. The service answers only the first poll. During the
  // second poll, the file already has its hidden name.
  await station.fault({ route: 'retrieve', after: 1, count: 1, effect: { kind: 'latency', ms: 600_000 } })
  station.configure({ folder: DELETE })
  const agent = station.agent()
  await until('the file has its hidden name', () => findLeftovers(station.recordings).length > 0)
  await until(
    'Sluice waits for the second poll',
    async () => (await countRetrievals()) > retrievalsBefore + 1,
  )
  await agent.kill('SIGTERM')
  expect(findLeftovers(station.recordings)).toEqual([])
  expect(existsSync(pathOf('night', 'take-0.bin'))).toBe(true)
})

test(
  'a file is moved between two mounts of one drive, although a rename between mounts is impossible',
  needs(mountedDisk),
  async () => {
    station = await Station.openLive()
    const contents = await recordNight(station, 1)
    const archive = path.join(station.root, 'archive')
    mkdirSync(archive)
    execFileSync('mount', ['--bind', archive, archive])
    try {
      station.configure({ folder: { after_upload: { action: 'move', to: archive, days: 0 } } })
      const agent = station.agent()
      const readWaits = () =>
        readJournal<{ waits: string | null }>(station.data, 'SELECT waits FROM removals').map(
          (row) => row.waits,
        )
      const isMoved = () => readRemovalRows(station).every((row) => row.removed_at !== null)
      await until(
        'the file is moved or the target is refused',
        () => isMoved() || readWaits().includes('target-refused'),
      )
      await agent.kill('SIGTERM')
      expect(readWaits()).toEqual([])
      expect(existsSync(pathOf('night', 'take-0.bin'))).toBe(false)
      const movedFile = path.join(archive, 'night', 'take-0.bin')
      expect(await sha256OfFile(movedFile)).toBe(contents.get(path.join('night', 'take-0.bin')))
      expect([...findLeftovers(archive), ...findLeftovers(station.recordings)]).toEqual([])
    } finally {
      execFileSync('umount', ['-l', archive])
    }
  },
)
