import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRecorderActivity } from '../../../../../../main/agent/platform/files/recorder-activity.ts'
import { linksToFolders, needs } from '../../../../../support/needs.ts'

const drive = path.resolve('/no/such/drive')

describe('noticing a recorder at work', () => {
  const scene = (folders: string[]) => {
    const state = {
      nowMs: 0,
      paths: [] as string[],
      bulkOn: null as string | null,
      looks: 0,
      busyDrive: null as string | null,
    }
    const isRecording = createRecorderActivity(
      async () => {
        state.looks += 1
        return state.paths.map((path) => ({ path, bulkOn: state.bulkOn }))
      },
      () => folders,
      { monotonicMs: () => state.nowMs },
      undefined,
      undefined,
      (device) => device === state.busyDrive,
    )
    /** Asks, lets the look that it started come back, and asks again. */
    const settled = async (nowMs: number): Promise<boolean> => {
      state.nowMs = nowMs
      isRecording()
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      // realpath goes through the thread pool, whose answers these turns do not promise; wait for the look itself.
      while (state.looks === 0) await setImmediate()
      await setImmediate()
      return isRecording()
    }
    return { state, settled, isRecording }
  }

  it('says so only for files inside the folders', async () => {
    const inside = scene([drive])
    inside.state.paths = [path.join(drive, 'take/a.wav')]
    expect(await inside.settled(0)).toBe(true)
    const beside = scene([drive])
    beside.state.paths = [path.join(`${drive}-2`, 'a.wav'), path.resolve('/var/log/syslog')]
    expect(await beside.settled(0)).toBe(false)
  })

  it(
    'knows a folder by the link that it is set by, and by where the link leads',
    needs(linksToFolders),
    async () => {
      const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'sluice-activity-')))
      onTestFinished(() => rmSync(top, { recursive: true }))
      mkdirSync(path.join(top, 'drive'))
      symlinkSync('drive', path.join(top, 'link'), 'junction')
      for (const name of ['link', 'drive']) {
        const { state, settled } = scene([path.join(top, 'link')])
        state.paths = [path.join(top, name, 'a.wav')]
        expect(await settled(0), name).toBe(true)
      }
    },
  )

  it('says so of what is written in bulk to the volume of a folder, wherever it lies', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-activity-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { state, settled } = scene([folder])
    state.paths = [path.join(drive, 'elsewhere.raw')]
    state.bulkOn = String(statSync(folder, { bigint: true }).dev)
    expect(await settled(0)).toBe(true)
    const other = scene([folder])
    other.state.paths = state.paths
    other.state.bulkOn = 'another volume'
    expect(await other.settled(0)).toBe(false)
  })

  it("says so at once, between two looks, of a folder's drive that takes bulk writes", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-activity-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { state, settled, isRecording } = scene([folder])
    expect(await settled(0)).toBe(false)
    state.busyDrive = 'another volume'
    expect(isRecording()).toBe(false)
    state.busyDrive = String(statSync(folder, { bigint: true }).dev)
    expect(isRecording()).toBe(true)
    state.busyDrive = null
    expect(isRecording()).toBe(false)
    expect(state.looks).toBe(1)
  })

  it('looks again only every few seconds, however often it is asked', async () => {
    const { state, settled, isRecording } = scene([drive])
    await settled(0)
    for (let nowMs = 1; nowMs < 2000; nowMs += 250) {
      state.nowMs = nowMs
      isRecording()
    }
    await setImmediate()
    expect(state.looks).toBe(1)
  })
})
