import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recordScan } from '../../main/agent/flow/watch/record-scan.ts'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { linksToFolders, needs } from '../support/needs.ts'
import { createFolders, platformFor } from './attacked-folders.ts'
import { folderSettings, never, temporaryFolder } from './platform-support.ts'

/** A subfolder of a watched folder moves, and a link takes its place. Scans follow no links. */

const paths = pathsOf(process.platform)

const createStation = () => {
  const { root, outside, night } = createFolders()
  const { folderAccess, files } = platformFor(root)
  const { journal } = openJournal(temporaryFolder(), systemClock.wallMs, paths)
  onTestFinished(() => journal.close())
  const folder = folderSettings(root)
  const world = {
    journal,
    files,
    paths,
    folder,
    clock: systemClock,
    inner: [],
    listedAtMs: 0,
    firstScanAtMs: 0,
  }
  const scan = async () => {
    const result = await folderAccess.scan(folder, never)
    if (result.kind !== 'scanned') throw new Error(result.kind)
    await recordScan(result, 0, world)
  }
  const rows = () => journal.views.everything().map(({ id, path: file, state }) => ({ id, file, state }))
  return { root, outside, night, journal, scan, rows }
}

test(
  'if a subfolder moves within the watched folder and leaves a link, its file stays the same recording',
  needs(linksToFolders),
  async () => {
    const { root, night, scan, rows } = createStation()
    writeFileSync(path.join(night, 'take.bin'), 'a night')
    await scan()
    const [before] = rows()
    mkdirSync(path.join(root, 'store'))
    renameSync(night, path.join(root, 'store', 'night'))
    symlinkSync(path.join('store', 'night'), night)
    await scan()
    expect(rows()).toEqual([{ ...before, file: path.join(root, 'store', 'night', 'take.bin') }])
  },
)

test(
  'if a subfolder moves out of the watched folder and leaves a link, its file counts as gone',
  needs(linksToFolders),
  async () => {
    const { outside, night, scan, rows } = createStation()
    writeFileSync(path.join(night, 'take.bin'), 'a night')
    await scan()
    const moved = path.join(outside, 'night')
    renameSync(night, moved)
    symlinkSync(moved, night)
    await scan()
    expect(rows()).toMatchObject([{ state: 'gone' }])
  },
)
