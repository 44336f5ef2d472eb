import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import path from 'node:path'
import { copyDurably } from '../../local-files/copy-durably.ts'
import { createPlainFile, openPlainFile, readPlainFile } from '../../local-files/plain-file.ts'
import { chooseRelease, type Release, type ReleaseRules, type ThisProgram } from '../domain/update-rules.ts'
import { readFeedIndex } from '../service/feed-index.ts'
import { hasContent } from '../service/update-source.ts'
import { STAGED_INDEX } from './updater.ts'

const MAX_INDEX_BYTES = 1024 * 1024
/** The folder inside `own` that keeps the previous installer, so that a rollback needs no network. */
const PREVIOUS = 'previous'

export type StagedInstall = {
  /** The folder to which the agent downloads the index and the installer. The agent's account can change both files. */
  readonly staged: string
  /** A folder that only administrators may change. */
  readonly own: string
  /** Creates `own`. Throws if anybody except administrators may change it. */
  readonly makeOwn: (folder: string) => void
  readonly keys: readonly string[]
  readonly rules: ReleaseRules
  readonly program: ThisProgram
  readonly nowMs: number
  readonly warn: (sentence: string) => void
}

/** Chooses the release again, because the agent's account could have staged a version that the rules do not allow. */
const stagedRelease = ({ staged, rules, program }: StagedInstall, releases: readonly Release[]): Release => {
  const choice = chooseRelease(releases, rules, program)
  if (choice.kind === 'later')
    throw new Error(
      `Version ${choice.version} is not for this station yet (updates.percent). Nothing was installed.`,
    )
  // The schema of the signed index allows no folder in `release.file`, so this path stays inside `staged`.
  if (choice.kind !== 'newer' || !existsSync(path.join(staged, choice.release.file)))
    throw new Error('No newer version is staged. Nothing was installed.')
  return choice.release
}

const removeFolders = (own: string, names: readonly string[]): void => {
  for (const name of names)
    try {
      rmSync(path.join(own, name), { recursive: true, force: true })
    } catch {
      // An earlier installer may still be running. The next update removes its folder.
    }
}

/**
 * Keeps the installer of the running version if its size and checksum match the signed index. Removes all other files
 * of earlier updates.
 */
const keepPreviousInstaller = async (
  own: string,
  releases: readonly Release[],
  { version, system, machine }: ThisProgram,
): Promise<void> => {
  const running = releases.filter(
    (release) => release.version === version && release.system === system && release.machine === machine,
  )
  const names = readdirSync(own)
  for (const name of names)
    for (const release of running) {
      const file = path.join(own, name, release.file)
      if (!(await hasContent(file, release))) continue
      removeFolders(
        own,
        names.filter((other) => other !== name),
      )
      if (name === PREVIOUS) return
      // The old folder `previous` may still exist, because its removal fails while a file in it is open.
      mkdirSync(path.join(own, PREVIOUS), { recursive: true })
      renameSync(file, path.join(own, PREVIOUS, release.file))
      return removeFolders(own, [name])
    }
  removeFolders(own, names)
}

/**
 * Runs with the rights of an administrator and trusts no file of the agent. Copies the installer to a new folder in
 * `own`, checks the copy against the signed index, starts the copy and returns its version.
 */
export const installStaged = async (options: StagedInstall, args: readonly string[]): Promise<string> => {
  const { staged, own, makeOwn, keys, nowMs, warn } = options
  const { bytes } = readPlainFile(path.join(staged, STAGED_INDEX), MAX_INDEX_BYTES)
  const read = readFeedIndex(bytes, keys, nowMs)
  if (!read.ok) throw new Error(`The staged feed ${read.reason}. Nothing was installed.`)
  const release = stagedRelease(options, read.index.releases)
  const changed = new Error(
    `${release.file} has different content than the feed announced. Nothing was installed.`,
  )
  if (lstatSync(path.join(staged, release.file)).size !== release.sizeBytes) throw changed
  makeOwn(own)
  try {
    await keepPreviousInstaller(own, read.index.releases, options.program)
  } catch (error) {
    // A virus scanner may have locked the installer. The update matters more than a rollback without the network.
    warn(`Sluice could not keep the installer of the running version: ${(error as Error).message}`)
  }
  // Windows loads libraries from the folder of a program, so each installer starts from a new, empty folder.
  const folder = mkdtempSync(path.join(own, 'install-'))
  const copy = path.join(folder, release.file)
  try {
    copyDurably(
      () => openPlainFile(path.join(staged, release.file)),
      () => createPlainFile(copy),
    )
    if (!(await hasContent(copy, release))) throw changed
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  chmodSync(copy, 0o700)
  // The installer must not unpack libraries into the system's temporary folder, where other users may add files.
  const temporary = path.join(folder, 'temporary')
  mkdirSync(temporary)
  const env = { ...process.env, TEMP: temporary, TMP: temporary }
  const installer = spawn(copy, args, { detached: true, stdio: 'ignore', windowsHide: true, env })
  await once(installer, 'spawn')
  installer.unref()
  return release.version
}
