import { randomUUID } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { recoverRemoval } from '../../main/agent/removal/recover-removals.ts'
import { undoCopy } from '../../main/agent/removal/undo-copy.ts'
import { needs, posix } from '../support/needs.ts'
import {
  type AttackedFolders,
  createFolders,
  createScanner,
  hideFile,
  removalName,
} from './attacked-folders.ts'
import { digest, folderSettings, identityAt, never } from './platform-support.ts'

/** During a removal, an attacker puts a link in the place of the file, of its folder or of its archive copy. */

const prepare = async (step: 'intended' | 'copied' | 'aside') => {
  const folders = createFolders()
  const scanner = createScanner(folders.root)
  const { journal, world } = scanner
  journal.volumes.setVolume(folders.root, (await world.folderAccess.volumeOf(folders.root))!, Date.now())
  const { hidden, recording } = await hideFile(scanner, folders, { step })
  const recover = () => recoverRemoval(world, journal.removals.of(recording.id)!)
  const isRecordedAsRemoved = () => journal.recordings.byId(recording.id)?.removedAtMs !== null
  return { folders, scanner, hidden, recording, recover, isRecordedAsRemoved }
}

const steps = ['intended', 'copied', 'aside'] as const
const links: readonly [string, (folders: AttackedFolders) => string][] = [
  ['to a folder outside', ({ outside }) => outside],
  ['to itself', ({ night }) => night],
]

test.each(steps.flatMap((step) => links.map(([name, to]) => [name, step, to] as const)))(
  'if a link %s replaces the folder of a hidden file, the file gets its name back (step of the removal: %s)',
  needs(posix),
  async (_, step, to) => {
    const { folders, scanner, hidden, recover, isRecordedAsRemoved } = await prepare(step)
    const moved = path.join(folders.root, 'moved')
    for (const name of [path.basename(hidden), 'take.bin'])
      writeFileSync(path.join(folders.outside, name), 'a night')
    renameSync(folders.night, moved)
    symlinkSync(to(folders), folders.night)
    expect(await recover()).toBe(true)
    await scanner.scan()
    expect(readdirSync(moved)).toEqual(['take.bin'])
    expect(readdirSync(folders.outside).toSorted()).toEqual([path.basename(hidden), 'take.bin'].toSorted())
    expect(isRecordedAsRemoved()).toBe(false)
  },
)

test.each(steps)(
  'if a link replaces a hidden file, the removal is cancelled (step of the removal: %s)',
  needs(posix),
  async (step) => {
    const { folders, hidden, recover, isRecordedAsRemoved } = await prepare(step)
    const victim = path.join(folders.outside, 'file')
    writeFileSync(victim, 'a night')
    rmSync(hidden)
    symlinkSync(victim, hidden)
    expect(await recover()).toBe(true)
    expect(isRecordedAsRemoved()).toBe(false)
    expect(readlinkSync(hidden)).toBe(victim)
    expect(readdirSync(folders.outside)).toEqual(['file'])
  },
)

test.each(links)(
  'a file that is already in the archive is recorded as moved, even if its old folder is now a link %s',
  needs(posix),
  async (_, to) => {
    const { folders, scanner, hidden, recording, recover } = await prepare('aside')
    const { removals, recordings } = scanner.journal
    const target = path.join(folders.outside, 'take.bin')
    const { asideFolder } = removals.of(recording.id)!
    removals.intend(recording, {
      action: 'move',
      removalName: hidden,
      target,
      copy: null,
      early: false,
    })
    removals.advance(recording.id, 'aside', null, asideFolder)
    renameSync(hidden, target)
    renameSync(folders.night, path.join(folders.root, 'moved'))
    symlinkSync(to(folders), folders.night)
    expect(await recover()).toBe(true)
    expect(recordings.byId(recording.id)).toMatchObject({ movedTo: target, removedAtMs: expect.any(Number) })
    expect(readdirSync(folders.outside)).toEqual(['take.bin'])
  },
)

test.each(['a link', 'a dangling link', 'a folder'])(
  'if the archive has %s instead of the moved file, the removal is cancelled',
  needs(posix),
  async (what) => {
    const { folders, scanner, hidden, recording, recover, isRecordedAsRemoved } = await prepare('aside')
    const { removals } = scanner.journal
    const [target, other] = ['take.bin', 'other.bin'].map((name) => path.join(folders.outside, name)) as [
      string,
      string,
    ]
    const { asideFolder } = removals.of(recording.id)!
    removals.intend(recording, { action: 'move', removalName: hidden, target, copy: null, early: false })
    removals.advance(recording.id, 'aside', null, asideFolder)
    rmSync(hidden)
    if (what === 'a folder') mkdirSync(target)
    else symlinkSync(other, target)
    if (what === 'a link') writeFileSync(other, 'a night')
    expect(await recover()).toBe(true)
    expect(isRecordedAsRemoved()).toBe(false)
  },
)

test('if a link replaces an archive copy, Sluice leaves the link alone', needs(posix), async () => {
  const folders = createFolders()
  const { journal, world } = createScanner(folders.root)
  const [file, target, other] = [
    path.join(folders.night, 'take.bin'),
    path.join(folders.outside, 'take.bin'),
    path.join(folders.outside, 'other.bin'),
  ] as const
  for (const name of [file, other]) writeFileSync(name, 'a night')
  symlinkSync(other, target)
  const added = journal.recordings.add(
    { path: file, identity: await identityAt(file) },
    folderSettings(folders.root),
    { findSessionFirst: false },
  )
  journal.recordings.patch(added.id, { sha256: digest(Buffer.from('a night')) })
  const volume = (await world.folderAccess.volumeOf(folders.outside))!
  journal.removals.intend(added, {
    action: 'move',
    removalName: path.join(folders.night, removalName('take.bin')),
    target,
    copy: path.join(folders.outside, removalName('take.bin')),
    archive: { folder: folders.outside, volume },
    early: false,
  })
  journal.removals.advance(added.id, 'copied', null)
  journal.removals.settle(added.id)
  const [placed] = journal.removals.placedCopies()
  const undoing = { ...world, newKey: randomUUID, guard: (_: string, work: () => void) => work() }
  expect(await undoCopy(undoing, placed!, never)).toBe('over')
  expect(journal.removals.placedCopies()).toEqual([])
  expect(readlinkSync(target)).toBe(other)
  expect([file, other].map((name) => readFileSync(name, 'utf8'))).toEqual(['a night', 'a night'])
})
