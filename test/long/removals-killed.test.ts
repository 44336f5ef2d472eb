import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal } from '../support/journal-file.ts'
import { mountedDisk, needs } from '../support/needs.ts'
import {
  findLeftovers,
  findLostRecordings,
  killAtFileEvent,
  readRemovalRows,
  readStepsInProgress,
  recordNight,
} from '../support/removal-kills.ts'
import { Station, sha256OfFile, until } from '../support/station.ts'

/**
 * Kills the agent during removals of real files. After each kill, a complete copy of every file must exist on this PC
 * or at the service.
 */

let station: Station
afterEach(() => station.close())

const at = (...names: string[]) => path.join(station.recordings, ...names)
const waitUntilAllRemoved = () =>
  until('every file is removed', () =>
    readRemovalRows(station).every(({ removed_at }) => removed_at !== null),
  )

test('the agent deletes files although it is killed at several steps: nothing is lost, and the journal is correct', async () => {
  station = await Station.openLive()
  const contents = await recordNight(station, 5)
  station.configure({ folder: { after_upload: { action: 'delete', days: 0 } } })
  const { out } = await station.command('preview', '--settings', station.settingsFile, '--json')
  expect(JSON.parse(out)).toMatchObject([{ count: 5, bytes: 5 * 4_000 + 10, staying: 0, early: 0 }])
  const killedSteps = new Set<string>()
  for (const nth of [1, 2, 3]) {
    await killAtFileEvent(station, [at('night')], nth)
    for (const step of readStepsInProgress(station)) killedSteps.add(step)
    expect(await findLostRecordings(station, contents, [station.recordings], sha256OfFile)).toEqual([])
  }
  // Without a kill during a removal, the test proves nothing.
  expect(killedSteps.size).toBeGreaterThan(0)
  const agent = station.agent()
  await waitUntilAllRemoved()
  await until('no removal is in progress', () => readStepsInProgress(station).length === 0)
  await agent.kill('SIGTERM')
  expect(findLeftovers(station.recordings)).toEqual([])
  for (const [name] of contents) expect(existsSync(at(name))).toBe(false)
  expect(readRemovalRows(station).map(({ state }) => state)).toEqual(Array(5).fill('processed'))
  const entries = readJournal<{ request_id: string | null }>(
    station.data,
    "SELECT request_id FROM activity WHERE kind = 'removed'",
  )
  expect(entries).toHaveLength(5)
  for (const { request_id } of entries) expect(request_id).toMatch(/^req_/)
  const receipt = path.join(station.root, 'receipt.json')
  await station.command('receipt', '--since', '2020-01-01', '--out', receipt)
  const verified = await station.command('verify', receipt, '--settings', station.settingsFile, '--json')
  expect(verified.code).toBe(0)
  expect(JSON.parse(verified.out).recordings[0].disk).toMatchObject({ verdict: 'agrees', what: 'removed' })
})

test(
  'the agent moves files to a different drive although it is killed at several steps: each file arrives complete',
  needs(mountedDisk),
  async () => {
    station = await Station.openLive()
    const contents = await recordNight(station, 4, 3_000_000)
    const archive = path.join(station.root, 'archive')
    station.mount(archive, 'size=64m')
    station.configure({ folder: { after_upload: { action: 'move', to: archive, days: 0 } } })
    for (const nth of [2, 4, 6]) {
      await killAtFileEvent(station, [at('night'), path.join(archive, 'night')], nth)
      expect(
        await findLostRecordings(station, contents, [station.recordings, archive], sha256OfFile),
      ).toEqual([])
    }
    const agent = station.agent()
    await waitUntilAllRemoved()
    await agent.kill('SIGTERM')
    expect([...findLeftovers(station.recordings), ...findLeftovers(archive)]).toEqual([])
    for (const row of readRemovalRows(station))
      expect(await sha256OfFile(row.moved_to ?? '')).toBe(row.sha256)
  },
)

test(
  'a half-written copy on a missing drive is removed once the drive is back, even if the rules have changed',
  needs(mountedDisk),
  async () => {
    station = await Station.openLive()
    await recordNight(station, 1, 3_000_000)
    const [disk, archive] = [path.join(station.root, 'disk'), path.join(station.root, 'archive')]
    station.mount(disk, 'size=64m')
    mkdirSync(archive)
    const plugIn = () => execFileSync('mount', ['--bind', disk, archive])
    const unplug = () => execFileSync('umount', ['-l', archive])
    plugIn()
    station.configure({ folder: { after_upload: { action: 'move', to: archive, days: 0 } } })
    await killAtFileEvent(station, [path.join(archive, 'night')], 1)
    expect(findLeftovers(disk)).toHaveLength(1)
    unplug()
    station.configure({ folder: { after_upload: { action: 'keep' } } })
    const agentWithoutDrive = station.agent()
    await until('no removal is in progress', () => readStepsInProgress(station).length === 0)
    await agentWithoutDrive.kill('SIGTERM')
    expect(findLeftovers(disk)).toHaveLength(1)
    plugIn()
    const agentWithDrive = station.agent()
    await until('the copy is gone', () => findLeftovers(disk).length === 0)
    await agentWithDrive.kill('SIGTERM')
    unplug()
    expect(existsSync(at('night', 'take-0.bin'))).toBe(true)
  },
)
