import { describe, expect, it } from 'vitest'
import { createGrowingFiles } from '../../../../../../main/agent/platform/files/growing-files.ts'

const createScene = () => {
  const state = { nowMs: 0, checks: 0 }
  const drive = new Map<string, { sizeBytes: number; mtimeNs: string }>()
  const identityOf = (path: string) => {
    const facts = drive.get(path)
    return facts === undefined ? null : { device: '1', inode: path, ctimeNs: '0', ...facts }
  }
  const growing = createGrowingFiles(
    async (path) => {
      state.checks += 1
      return identityOf(path)
    },
    { monotonicMs: () => state.nowMs },
  )
  const write = (path: string, sizeBytes: number, mtimeNs = '0') => drive.set(path, { sizeBytes, mtimeNs })
  const scan = () =>
    growing.noteScan([...drive.keys()].map((path) => ({ path, identity: identityOf(path)! })))
  return { state, drive, growing, write, scan }
}

describe('growing files on a system that does not list writers', () => {
  it('are the files whose size or modification time changed between two checks', async () => {
    const { state, growing, write } = createScene()
    for (const path of ['grows', 'touched', 'still']) {
      write(path, 1)
      growing.note(path)
    }
    expect(await growing.paths()).toEqual([])
    write('grows', 2)
    write('touched', 1, '5')
    expect(await growing.paths()).toEqual(['grows', 'touched'])
    // A file counts as growing for 10 s after its last change, because recorders pause between bursts.
    state.nowMs = 9_999
    expect(await growing.paths()).toEqual(['grows', 'touched'])
    state.nowMs = 10_000
    expect(await growing.paths()).toEqual([])
  })

  it('are found without events among the newest files of a scan', async () => {
    const { state, growing, write, scan } = createScene()
    for (let n = 0; n < 1000; n += 1) write(`old-${n}`, 1, String(n))
    write('recording', 1, '99999')
    scan()
    await growing.paths()
    expect(state.checks).toBe(8)
    write('recording', 2, '99999')
    expect(await growing.paths()).toEqual(['recording'])
  })

  it('are forgotten when they vanish or stay unchanged for a minute', async () => {
    const { state, drive, growing, write } = createScene()
    write('still', 1)
    write('gone', 1)
    growing.note('still')
    growing.note('gone')
    await growing.paths()
    drive.delete('gone')
    state.nowMs = 60_001
    await growing.paths()
    state.checks = 0
    await growing.paths()
    expect(state.checks).toBe(0)
  })

  it('are searched for only among the 64 files with the latest events', async () => {
    const { state, growing, write } = createScene()
    for (let n = 0; n < 5000; n += 1) {
      write(`file-${n}`, 1)
      growing.note(`file-${n}`)
    }
    await growing.paths()
    expect(state.checks).toBe(64)
    write('file-4999', 2)
    expect(await growing.paths()).toEqual(['file-4999'])
  })
})
