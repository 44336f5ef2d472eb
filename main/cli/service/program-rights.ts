import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { readSecurityDescriptor, type WindowsRights } from '../../managed/security-descriptor.ts'
import { loadWindowsSecurity } from '../../managed/windows-security.ts'
import { type CheckedPath, USERS_SID, whyUntrustedOnWindows } from '../../managed/windows-trust-rules.ts'
import { withArchivesAsFiles } from './archives-as-files.ts'

/**
 * Hard case: The administrator installs Sluice into a folder that users can change.
 * The task that installs updates runs the program as the system. A user who replaces the program, or adds a library to
 * its folder, would get the rights of the system. So `sluice service install` registers the task only if no user can
 * change the program.
 */

const paths = pathsOf(process.platform)

export type RightsReader = {
  /** Owner and access list of a file or folder. Throws if Windows does not report them. */
  readonly rightsOf: (place: string) => WindowsRights
  readonly nameOf: (sid: string) => string
}

export const rightsOnThisPc: RightsReader = {
  rightsOf: (place) => {
    const descriptor = loadWindowsSecurity().descriptorAt(place)
    if (descriptor === null) throw new Error('Windows does not open it')
    return readSecurityDescriptor(descriptor)
  },
  nameOf: (sid) => loadWindowsSecurity().nameOf(sid),
}

type Kind = CheckedPath['kind']

/** Why users could change this path. Null if only administrators and the system can change it. */
export const whyUntrusted = (kind: Kind, place: string, reader: RightsReader): string | null => {
  try {
    // Refuse a link, because its rights do not show who can change its target.
    if (lstatSync(place).isSymbolicLink()) return `${place} is a link, so it is not used.`
    const trusts = { self: null, readers: USERS_SID, nameOf: reader.nameOf }
    return whyUntrustedOnWindows({ path: place, kind, rights: reader.rightsOf(place) }, trusts)
  } catch (error) {
    return `Sluice cannot read who may change ${place} (${(error as Error).message}).`
  }
}

/** The folders above `place`, without the drive, because nobody can rename or replace a drive. */
const foldersAbove = (place: string): readonly string[] => {
  const folder = path.dirname(place)
  return paths.isRoot(folder) ? [] : [folder, ...foldersAbove(folder)]
}

/** The folder of the program, everything in it, and the folders above it. */
function* placesOf(file: string): Generator<readonly [Kind, string]> {
  const folder = path.dirname(file)
  yield ['program folder', folder]
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    yield [entry.isDirectory() ? 'program folder' : 'file', path.join(entry.parentPath, entry.name)]
  for (const above of foldersAbove(folder)) yield ['folder', above]
}

/**
 * Checks each absolute path in `command`, which starts the program. Null if users can change neither the folder of such
 * a file, nor anything in that folder, nor a folder above it.
 */
export const whyProgramIsUntrusted = (command: readonly string[], reader: RightsReader): string | null =>
  withArchivesAsFiles(() => {
    for (const file of command.filter((word) => paths.isAbsolute(word)))
      for (const [kind, place] of placesOf(file)) {
        const why = whyUntrusted(kind, place, reader)
        if (why !== null) return why
      }
    return null
  })
