import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRecorderActivity } from '../../../../../../main/agent/platform/files/recorder-activity.ts'
import { linksToFolders, needs } from '../../../../../support/needs.ts'

const drive = path.resolve('/no/such/drive')

describe('detecting an active recorder', () => {
  const createScene = (folders: string[]) => {
    const state = {
      nowMs: 0,
      paths: [] as string[],
      bulkVolume: null as string | null,
      checks: 0,
      busyDrive: null as string | null,
    }
    const isRecording = createRecorderActivity(
      async () => {
        state.checks += 1
        return state.paths.map((path) => ({ path, bulkVolume: state.bulkVolume }))
      },
      () => folders,
      { monotonicMs: () => state.nowMs },
      undefined,
      undefined,
      (device) => device === state.busyDrive,
    )
    /** The first call starts a check. After the check, returns the answer of a second call. */
    const isRecordingAt = async (nowMs: number): Promise<boolean> => {
      state.nowMs = nowMs
      isRecording()
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      // `realpath` runs in the thread pool, so a fixed number of event-loop turns may not be enough.
      while (state.checks === 0) await setImmediate()
      await setImmediate()
      return isRecording()
    }
    return { state, isRecordingAt, isRecording }
  }

  it('counts only files inside the folders', async () => {
    const inside = createScene([drive])
    inside.state.paths = [path.join(drive, 'take/a.wav')]
    expect(await inside.isRecordingAt(0)).toBe(true)
    const outside = createScene([drive])
    outside.state.paths = [path.join(`${drive}-2`, 'a.wav'), path.resolve('/var/log/syslog')]
    expect(await outside.isRecordingAt(0)).toBe(false)
  })

  it(
    'recognises a file by its real path, and by a path through a link in the settings',
    needs(linksToFolders),
    async () => {
      const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'sluice-activity-')))
      onTestFinished(() => rmSync(top, { recursive: true }))
      mkdirSync(path.join(top, 'drive'))
      symlinkSync('drive', path.join(top, 'link'), 'junction')
      for (const name of ['link', 'drive']) {
        const { state, isRecordingAt } = createScene([path.join(top, 'link')])
        state.paths = [path.join(top, name, 'a.wav')]
        expect(await isRecordingAt(0), name).toBe(true)
      }
    },
  )

  it('counts bulk writes to the drive of a folder, even outside the folder', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-activity-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { state, isRecordingAt } = createScene([folder])
    state.paths = [path.join(drive, 'elsewhere.raw')]
    state.bulkVolume = String(statSync(folder, { bigint: true }).dev)
    expect(await isRecordingAt(0)).toBe(true)
    const other = createScene([folder])
    other.state.paths = state.paths
    other.state.bulkVolume = 'another volume'
    expect(await other.isRecordingAt(0)).toBe(false)
  })

  it("detects bulk writes to a folder's drive even between two checks", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-activity-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { state, isRecordingAt, isRecording } = createScene([folder])
    expect(await isRecordingAt(0)).toBe(false)
    state.busyDrive = 'another volume'
    expect(isRecording()).toBe(false)
    state.busyDrive = String(statSync(folder, { bigint: true }).dev)
    expect(isRecording()).toBe(true)
    state.busyDrive = null
    expect(isRecording()).toBe(false)
    expect(state.checks).toBe(1)
  })

  it('starts a check at most every two seconds, however often the caller asks', async () => {
    const { state, isRecordingAt, isRecording } = createScene([drive])
    await isRecordingAt(0)
    for (let nowMs = 1; nowMs < 2000; nowMs += 250) {
      state.nowMs = nowMs
      isRecording()
    }
    await setImmediate()
    expect(state.checks).toBe(1)
  })
})
