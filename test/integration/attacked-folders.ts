import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { removalNameFor } from '../../main/agent/domain/removal-name.ts'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { volumeOf } from '../../main/agent/platform/folders/folder-scan.ts'
import { createPlatform, type Platform } from '../../main/agent/platform/platform.ts'
import type { Clock } from '../../main/agent/ports/clock.ts'
import type { FileOperations, Files } from '../../main/agent/ports/files.ts'
import type { Sharing } from '../../main/agent/ports/folders.ts'
import { restoreNamesOnScan } from '../../main/agent/removal/restore-original-name.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { folderSettings, identityAt, never, temporaryFolder } from './platform-support.ts'

/**
 * A watched folder whose subfolder `night` an attacker can change. The tests scan the folder and remove its files as
 * the agent does.
 */

const paths = pathsOf(process.platform)
export const removalName = (name: string) => `.sluice-removing-${randomUUID()}~${name}`

const deletion = { action: 'delete', target: null, copy: null, early: false } as const

export type AttackedFolders = { readonly root: string; readonly outside: string; readonly night: string }

export const createFolders = (): AttackedFolders => {
  const [root, outside] = [temporaryFolder(), temporaryFolder()]
  const night = path.join(root, 'night')
  mkdirSync(night)
  return { root, outside, night }
}

export const platformFor = (root: string): Platform => {
  const platform = createPlatform({
    clock: systemClock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    watchedFolders: () => [root],
    knownFolders: () => [root],
  })
  onTestFinished(() => platform.close())
  return platform
}

/** Scans as the agent does, and restores the names of files that a removal has renamed. */
export const createScanner = (
  root: string,
  wrapOperations: (operations: FileOperations) => FileOperations = (operations) => operations,
  {
    clock = systemClock,
    sharing = 'own',
    presence,
  }: { readonly clock?: Clock; readonly sharing?: Sharing; readonly presence?: Files['presence'] } = {},
) => {
  const created = platformFor(root)
  const platform = { ...created, files: { ...created.files, presence: presence ?? created.files.presence } }
  const { journal } = openJournal(temporaryFolder(), systemClock.wallMs, paths)
  onTestFinished(() => journal.close())
  const warnings: string[] = []
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} }
  const operations = wrapOperations(platform.operations)
  const folderAccess = restoreNamesOnScan(
    { journal, ...platform, operations, clock, log, paths },
    { ...platform.folderAccess, sharing: async () => sharing },
  )
  const world = { journal, ...platform, operations, folderAccess, clock, log, paths, rescan: () => {} }
  return {
    scan: (signal = never) => folderAccess.scan(folderSettings(root), signal),
    warnings,
    journal,
    world,
  }
}

export type StepOfRemoval = 'intended' | 'copied' | 'aside' | 'undone'

/**
 * Creates a file whose removal stopped after `step`: the file has its temporary name, and the journal has the steps so
 * far.
 */
export const hideFile = async (
  { journal }: Pick<ReturnType<typeof createScanner>, 'journal'>,
  { root, night }: Pick<AttackedFolders, 'root' | 'night'>,
  { name = 'take.bin', step = 'intended' }: { readonly name?: string; readonly step?: StepOfRemoval } = {},
) => {
  const file = path.join(night, name)
  writeFileSync(file, 'a night')
  const foundFile = { path: file, identity: await identityAt(file) }
  const recording = journal.recordings.add(foundFile, folderSettings(root), { findSessionFirst: false })
  const hidden = path.join(night, removalNameFor(randomUUID(), name))
  journal.removals.intend(recording, { ...deletion, removalName: hidden })
  if (step === 'undone') journal.removals.settle(recording.id)
  else if (step !== 'intended')
    journal.removals.advance(recording.id, step, null, (await volumeOf(night))?.inode ?? null)
  renameSync(file, hidden)
  return { hidden, recording }
}
