import { randomUUID } from 'node:crypto'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Clock } from '../../main/agent/ports/clock.ts'
import type { Sharing } from '../../main/agent/ports/folders.ts'
import { recoverRemoval } from '../../main/agent/removal/recover-removals.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import {
  type AttackedFolders,
  createFolders,
  createScanner,
  hideFile,
  platformFor,
  removalName,
  type StepOfRemoval,
} from '../integration/attacked-folders.ts'
import { folderSettings, identityAt, temporaryFolder } from '../integration/platform-support.ts'
import { needs, posix } from '../support/needs.ts'
import { until } from '../support/station.ts'

/**
 * An attacker who can write to a watched folder attacks the code that renames and removes files there. To remove a
 * file, Sluice renames it to a hidden name, which contains the original name (`removalName`). If the removal does not
 * finish, a scan restores the original name.
 */

test(
  'on a shared drive, a scan restores the name of a file hidden long ago, despite a thousand newly hidden files',
  needs(posix),
  async () => {
    const { root, night } = createFolders()
    const ctimeMsOf = (file: string) => Number(statSync(file, { bigint: true }).ctimeNs) / 1e6
    const old = path.join(night, removalName('take.bin'))
    writeFileSync(old, 'a night')
    const planted = Array.from({ length: 1_000 }, (_, n) => path.join(night, removalName(`planted-${n}`)))
    await until('the drive’s clock has moved on', () => {
      writeFileSync(planted[0]!, '')
      return ctimeMsOf(planted[0]!) > ctimeMsOf(old) + 2
    })
    for (const file of planted) writeFileSync(file, '')
    // Only the old name is more than a day old. The new names stay hidden, because a different station may still be
    // removing their files.
    const nowMs = (ctimeMsOf(old) + Math.min(...planted.map(ctimeMsOf))) / 2 + 24 * 3_600_000
    const { scan } = createScanner(root, undefined, {
      clock: { ...systemClock, wallMs: () => nowMs },
      sharing: 'shared',
    })
    await scan()
    expect(readdirSync(night)).toContain('take.bin')
    expect(readdirSync(night)).toHaveLength(1_001)
  },
)

const DAY_MS = 24 * 3_600_000
const laterClock = (laterMs: number): Clock => ({
  ...systemClock,
  wallMs: () => systemClock.wallMs() + laterMs,
})

test.each<[string, Sharing, number | null]>([
  ['on a drive that may be shared', 'unknown', null],
  ['that is newer than the first scan of the folder', 'own', -1_000],
])(
  'a hidden name %s may belong to a different agent, so a scan restores the original name only after a day',
  needs(posix),
  async (_, sharing, listedMs) => {
    const { root, night } = createFolders()
    const hiddenName = removalName('take.bin')
    for (const clock of [systemClock, laterClock(DAY_MS + 60_000)]) {
      const { scan, journal } = createScanner(root, undefined, { clock, sharing })
      if (listedMs !== null) journal.volumes.setListed(root, Date.now() + listedMs)
      if (clock === systemClock) writeFileSync(path.join(night, hiddenName), 'a night')
      await scan()
      expect(readdirSync(night)).toEqual([clock === systemClock ? hiddenName : 'take.bin'])
    }
  },
)

test(
  'if a hidden name is older than the first scan of the folder, the original name is restored at once',
  needs(posix),
  async () => {
    const { root, night } = createFolders()
    writeFileSync(path.join(night, removalName('take.bin')), 'a night')
    const { scan, journal } = createScanner(root)
    journal.volumes.setListed(root, Date.now() + 1_000)
    await scan()
    expect(readdirSync(night)).toEqual(['take.bin'])
  },
)

test('a scan through a link to the folder does not undo a removal in progress', needs(posix), async () => {
  const { root, night } = createFolders()
  const alias = path.join(temporaryFolder(), 'alias')
  symlinkSync(root, alias)
  const scanner = createScanner(alias)
  const { hidden } = await hideFile(scanner, { root, night })
  const result = await scanner.scan()
  expect(result.kind === 'scanned' && result.removalNames).toHaveLength(1)
  expect(readdirSync(night)).toEqual([path.basename(hidden)])
})

test.each<StepOfRemoval>(['intended', 'copied', 'aside', 'undone'])(
  'a hidden file gets its name back at once after its folder was renamed (step of the removal: %s)',
  async (step) => {
    const { root, night } = createFolders()
    const newPath = path.join(root, 'renamed')
    // On a shared drive, a name that may belong to a different agent is restored only after 24 hours. This name is in
    // the journal, so it belongs to this agent.
    const scanner = createScanner(root, undefined, { sharing: 'shared' })
    const { recording } = await hideFile(scanner, { root, night }, { step })
    renameSync(night, newPath)
    await scanner.scan()
    expect(readdirSync(newPath)).toEqual(['take.bin'])
    expect(scanner.journal.removals.of(recording.id)?.step).toBeNull()
    expect(scanner.journal.recordings.byId(recording.id)?.removedAtMs).toBeNull()
  },
)

test('a hidden file gets its name back at once if its watched folder has a new path', async () => {
  const [oldRoot, root] = [temporaryFolder(), temporaryFolder()]
  const scanner = createScanner(root)
  const name = `${'long-'.repeat(30)}take.bin`
  const { recording } = await hideFile(scanner, { root: oldRoot, night: oldRoot }, { name })
  scanner.journal.volumes.setListed(root, Date.now() - 60_000)
  rmSync(root, { recursive: true })
  renameSync(oldRoot, root)
  await scanner.scan()
  expect(readdirSync(root)).toEqual([name])
  expect(scanner.journal.removals.of(recording.id)?.step).toBeNull()
})

test('a copy of a hidden file does not undo the removal of the original', async () => {
  const { root, night } = createFolders()
  const scanner = createScanner(root)
  const { hidden, recording } = await hideFile(scanner, { root, night })
  mkdirSync(path.join(root, 'copies'))
  writeFileSync(path.join(root, 'copies', path.basename(hidden)), 'a night')
  await scanner.scan()
  expect(readdirSync(night)).toEqual([path.basename(hidden)])
  expect(scanner.journal.removals.of(recording.id)?.step).toBe('intended')
})

test('a hidden file in a renamed folder stays hidden while its drive does not answer', async () => {
  const { root, night } = createFolders()
  const scanner = createScanner(root, undefined, { presence: async () => 'unknown' })
  const { hidden, recording } = await hideFile(scanner, { root, night })
  renameSync(night, path.join(root, 'renamed'))
  await scanner.scan()
  expect(readdirSync(path.join(root, 'renamed'))).toEqual([path.basename(hidden)])
  expect(scanner.journal.removals.of(recording.id)?.step).toBe('intended')
})

test('a scan restores no name in a folder behind a link', needs(posix), async () => {
  const { root, outside, night } = createFolders()
  const scanner = createScanner(root)
  const { hidden } = await hideFile(scanner, { root, night })
  renameSync(hidden, path.join(outside, path.basename(hidden)))
  rmSync(night, { recursive: true })
  symlinkSync(outside, path.join(root, 'link'))
  await scanner.scan()
  expect(readdirSync(outside)).toEqual([path.basename(hidden)])
})

test.each<[string, (folders: AttackedFolders) => void]>([
  ['is missing', ({ root, night }) => renameSync(night, path.join(root, 'renamed'))],
  [
    'was replaced by a link to a different folder',
    ({ root, outside, night }) => {
      renameSync(night, path.join(root, 'renamed'))
      symlinkSync(outside, night)
    },
  ],
  [
    'was replaced by a different folder on the same drive',
    ({ root, night }) => {
      renameSync(night, path.join(root, 'renamed'))
      mkdirSync(night)
    },
  ],
])('a file is not recorded as deleted if its subfolder %s', needs(posix), async (_, replaceFolder) => {
  const folders = createFolders()
  const { root, night } = folders
  const scanner = createScanner(root)
  const { journal, world } = scanner
  journal.volumes.setVolume(root, (await world.folderAccess.volumeOf(root))!, Date.now())
  const hide = (name: string) => hideFile(scanner, { root, night }, { name, step: 'aside' })
  const recover = async (id: number) => {
    expect(await recoverRemoval(world, journal.removals.of(id)!)).toBe(true)
    return journal.recordings.byId(id)?.removedAtMs
  }
  const deleted = await hide('deleted.bin')
  rmSync(deleted.hidden)
  expect(await recover(deleted.recording.id)).not.toBeNull()
  const kept = await hide('kept.bin')
  replaceFolder(folders)
  expect(await recover(kept.recording.id)).toBeNull()
})

test.each([
  ['leads out of the folder', '..'],
  ['is the folder itself', '.'],
  ['is reserved by Sluice', removalName('take.bin')],
])('a scan does not restore a name that %s', async (_, originalName) => {
  const { root, night } = createFolders()
  const plantedFile = path.join(night, removalName(originalName))
  writeFileSync(plantedFile, 'planted')
  const { scan } = createScanner(root)
  await scan()
  await scan()
  expect(readdirSync(root)).toEqual(['night'])
  expect(readdirSync(night)).toEqual([path.basename(plantedFile)])
})

test.each([
  ['no random key', 'take.bin'],
  ['a key that is not a UUID', 'key-7~take.bin'],
  ['no original name', `${randomUUID()}~`],
  ['more characters than Sluice uses', `${randomUUID()}~${'x'.repeat(90)}`],
])('a scan does not touch a hidden name with %s, because Sluice did not create it', async (_, rest) => {
  const { root, night } = createFolders()
  writeFileSync(path.join(night, `.sluice-removing-${rest}`), 'planted')
  await createScanner(root).scan()
  expect(readdirSync(night)).toEqual([`.sluice-removing-${rest}`])
})

test('Sluice restores only regular files', needs(posix), async () => {
  const { root, outside, night } = createFolders()
  const { operations } = platformFor(root)
  const hidden = path.join(night, removalName('take.bin'))
  symlinkSync(path.join(outside, 'anything'), hidden)
  expect(await operations.place(hidden, path.join(night, 'take.bin'))).toMatchObject({ kind: 'refused' })
  expect(lstatSync(hidden).isSymbolicLink()).toBe(true)
  expect(readdirSync(night)).toHaveLength(1)
})

test('a file that has both its original and its hidden name keeps only the original name', async () => {
  const { root, night } = createFolders()
  const [hidden, file] = [path.join(night, removalName('take.bin')), path.join(night, 'take.bin')]
  writeFileSync(hidden, 'both')
  linkSync(hidden, file)
  await createScanner(root).scan()
  expect(readdirSync(night)).toEqual(['take.bin'])
  expect(readFileSync(file, 'utf8')).toBe('both')
})

test('Sluice does not retry a failed restore at every scan, and logs all failures in one line', async () => {
  const { root, night } = createFolders()
  for (let n = 0; n < 50; n += 1) writeFileSync(path.join(night, removalName(`take-${n}.bin`)), '')
  let attempts = 0
  const { scan, warnings } = createScanner(root, (operations) => ({
    ...operations,
    place: async () => {
      attempts += 1
      return { kind: 'refused', detail: 'permission denied' }
    },
  }))
  for (let n = 0; n < 5; n += 1) await scan()
  expect(attempts).toBe(50)
  expect(warnings).toHaveLength(1)
  // If a new hidden file appears, the next scan tries to restore its name.
  writeFileSync(path.join(night, removalName('late.bin')), '')
  await scan()
  expect(attempts).toBe(51)
})

test('a scan restores at most 100 of 2,000 planted names, writes one activity entry, and breaks off if the agent stops', async () => {
  const { root, night } = createFolders()
  for (let n = 0; n < 2_000; n += 1) writeFileSync(path.join(night, removalName('take.bin')), '')
  let attempts = 0
  const stop = new AbortController()
  const { scan, journal } = createScanner(root, (operations) => ({
    ...operations,
    place: (...args) => {
      attempts += 1
      if (attempts === 210) stop.abort()
      return operations.place(...args)
    },
  }))
  await scan()
  expect(attempts).toBe(100)
  await scan()
  // The second scan tries the next 100 names.
  expect(attempts).toBe(200)
  expect(readdirSync(night).filter((name) => name.startsWith('take'))).toHaveLength(200)
  const entries = journal.activity.read({
    groups: ['trouble'],
    fromMs: null,
    toMs: null,
    before: null,
    limit: 10,
  })
  expect(entries.map(({ activity }) => activity)).toMatchObject([
    { kind: 'names-restored', count: 100 },
    { kind: 'names-restored', count: 100 },
  ])
  await scan(stop.signal)
  expect(attempts).toBe(210)
})

test('a half-written copy in an archive never becomes a recording', async () => {
  const [stick, archive] = [temporaryFolder(), temporaryFolder()]
  const { scan, journal } = createScanner(archive)
  const file = path.join(stick, 'take.mcap')
  writeFileSync(file, 'all of its bytes')
  const foundFile = { path: file, identity: await identityAt(file) }
  const recording = journal.recordings.add(foundFile, folderSettings(stick), { findSessionFirst: false })
  const copy = path.join(archive, removalName('take.mcap'))
  journal.removals.intend(recording, {
    action: 'move',
    target: path.join(archive, 'take.mcap'),
    copy,
    removalName: path.join(stick, removalName('take.mcap')),
    archive: { folder: archive, volume: { device: '1', inode: '1' } },
    early: false,
  })
  writeFileSync(copy, 'all of')
  // The archive is now a watched folder. The test does not continue the removal, as if the drive of the original were
  // offline.
  await scan()
  const result = await scan()
  expect(result.kind === 'scanned' && result.files).toEqual([])
  expect(readdirSync(archive)).toEqual([path.basename(copy)])
})
