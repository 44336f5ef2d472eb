import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs'
import path from 'node:path'
import { copyDurably } from '../../local-files/copy-durably.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { createPlainFile, openPlainFile, readPlainFile } from '../../local-files/plain-file.ts'
import { compareVersions, type Release, type ThisProgram } from '../domain/update-rules.ts'
import { readFeedIndex } from '../service/feed-index.ts'
import { hasContent } from '../service/update-source.ts'
import { STAGED_INDEX } from './updater.ts'

const MAX_INDEX_BYTES = 1024 * 1024

export type StagedInstall = {
  /** Where the agent has put the index and the installer. Its account may change them at any time. */
  readonly staged: string
  /** A folder that only administrators may change. */
  readonly own: string
  readonly keys: readonly string[]
  readonly program: Pick<ThisProgram, 'version' | 'system' | 'machine'>
  readonly nowMs: number
}

const newestStaged = (
  { staged, program }: StagedInstall,
  releases: readonly Release[],
): Release | undefined =>
  releases
    .filter(({ system, machine }) => system === program.system && machine === program.machine)
    .filter(({ version, file }) => {
      // The index is signed, so the name has no folder in it.
      return compareVersions(version, program.version) > 0 && existsSync(path.join(staged, file))
    })
    .toSorted((one, other) => compareVersions(other.version, one.version))[0]

/**
 * Runs with the rights of an administrator and trusts nothing of the agent: it copies the installer to a folder of its own
 * and checks the copy against the signed index. Starts the installer and returns its version.
 */
export const installStaged = async (options: StagedInstall, args: readonly string[]): Promise<string> => {
  const { staged, own, keys, nowMs } = options
  const { bytes } = readPlainFile(path.join(staged, STAGED_INDEX), MAX_INDEX_BYTES)
  const read = readFeedIndex(bytes, keys, nowMs)
  if (!read.ok) throw new Error(`The staged feed ${read.reason}. Nothing was installed.`)
  const release = newestStaged(options, read.index.releases)
  if (release === undefined) throw new Error('No newer version is staged. Nothing was installed.')
  const changed = new Error(
    `${release.file} has different content than the feed announced. Nothing was installed.`,
  )
  if (lstatSync(path.join(staged, release.file)).size !== release.sizeBytes) throw changed
  makeFolder(own)
  const copy = path.join(own, release.file)
  copyDurably(
    () => openPlainFile(path.join(staged, release.file)),
    () => createPlainFile(copy),
  )
  if (!(await hasContent(copy, release))) {
    rmSync(copy, { force: true })
    throw changed
  }
  chmodSync(copy, 0o700)
  const installer = spawn(copy, args, { detached: true, stdio: 'ignore', windowsHide: true })
  await once(installer, 'spawn')
  installer.unref()
  return release.version
}
