import {
  type FileIdentity,
  isContinuation,
  mayBeSameInode,
  sameExceptCtime,
  sameFile,
  sameInode,
} from '../../domain/file-identity.ts'
import { needsFile } from '../../domain/states.ts'
import type { Journal, Recording, SeenFile } from '../../journal/journal.ts'
import type { Files } from '../../ports/files.ts'
import type { FoundFile } from '../../ports/folders.ts'
import { isThere } from './is-there.ts'

/**
 * Hard case: A recorder renames its file immediately after it wrote the last bytes.
 * A file with a new name belongs to the same recording if its inode and its creation time are the same. If the drive
 * stores no creation time, size and mtime decide.
 */

/**
 * Hard case: Sluice removes files while it scans their folder.
 * The scan may have listed these files before their removal. So a file at the path of a removed file becomes a new
 * recording only if Sluice finds it there after the removal. Sluice compares no times, because a user may set the
 * clock.
 */

/** True if the file needs no work. Adds the bytes of a processed file to the total of its service. */
export const isUnchanged = (
  { identity }: FoundFile,
  seen: SeenFile | undefined,
  processed: Map<string, number>,
): boolean => {
  if (seen === undefined || seen.state === 'gone' || !sameFile(seen.identity, identity)) return false
  if (seen.state === 'processed' && !seen.hasProblem && seen.service !== null)
    processed.set(seen.service, (processed.get(seen.service) ?? 0) + identity.sizeBytes)
  return true
}

/** A scanned file, and the recording that it may belong to. */
export type ScannedFile = {
  readonly file: FoundFile
  /** The recording of the same file, if the journal spells the file's path differently. */
  readonly otherSpelling: Recording | null
  readonly movedFrom: Recording | null
  /** Sluice removed an earlier file at this path, and found this file there afterwards. */
  readonly isBack: boolean
}

type World = { readonly journal: Journal; readonly files: Files }

/**
 * Finds the recording that each file may belong to. Drops files that are already gone. If a file has two names, drops
 * one of them. `present`: every path of the scan.
 */
export const matchScannedFiles = async (
  files: readonly FoundFile[],
  present: ReadonlySet<string>,
  world: World,
): Promise<ScannedFile[]> => {
  const batch: (ScannedFile & { readonly known: Recording | null })[] = []
  for (const file of files) {
    const known = world.journal.recordings.currentByPath(file.path)
    if (known !== null && known.removedAtMs !== null) {
      const current = await identifyAgain(file, world)
      if (current !== null)
        batch.push({ file: current, known, otherSpelling: null, movedFrom: null, isBack: true })
      continue
    }
    const otherSpelling = known !== null ? null : await findOtherSpelling(file, present, world)
    const previous =
      known !== null || otherSpelling !== null
        ? ({ kind: 'none' } as const)
        : await findPreviousPath(file, world)
    if (previous.kind === 'not-new') continue
    const movedFrom = previous.kind === 'moved' ? previous.from : null
    batch.push({ file, known, otherSpelling, movedFrom, isBack: false })
  }
  // The scan may find a renamed file under both names. The old name is no separate recording.
  const isOldName = ({ file, known }: (typeof batch)[number]) =>
    known !== null &&
    batch.some(
      ({ movedFrom, file: newFile }) =>
        movedFrom?.id === known.id && sameInode(newFile.identity, file.identity),
    )
  return batch.filter((scanned) => !isOldName(scanned))
}

/** The file as it is now. Null if it is gone or replaced, or if its drive is away: the next scan then decides. */
const identifyAgain = async (file: FoundFile, { files }: World): Promise<FoundFile | null> => {
  const current = await files.identify(file.path)
  // An unreadable file still exists. Its recording will show the problem.
  if (!current.ok) return ['file-vanished', 'drive-away'].includes(current.failure.kind) ? null : file
  return mayBeSameInode(current.value, file.identity) ? { path: file.path, identity: current.value } : null
}

/**
 * The journal may have the path in a different spelling, because a user retyped the settings or changed the case of the
 * file name. On a case-sensitive system both spellings may exist, so compare inodes.
 */
const findOtherSpelling = async (
  file: FoundFile,
  present: ReadonlySet<string>,
  { journal, files }: World,
): Promise<Recording | null> => {
  for (const other of journal.recordings.otherSpellings(file.path)) {
    if (present.has(other.path)) continue
    if (sameInode(other.identity, file.identity) && (await isThere(files, other.path))) return other
    const current = await files.identify(other.path)
    if (current.ok && sameInode(current.value, file.identity)) return other
  }
  return null
}

type PreviousPath =
  | { readonly kind: 'none' }
  | { readonly kind: 'moved'; readonly from: Recording }
  /** The path is a second name of a file that still grows, or it has already vanished. */
  | { readonly kind: 'not-new' }

/**
 * A new path is a rename if its inode is known, the old path is gone, and `isMoved` accepts the file. Some recorders
 * finish a file by linking it to its final name, so both names exist for a moment. A growing recording keeps its first
 * name while that name exists.
 */
const findPreviousPath = async (file: FoundFile, { journal, files }: World): Promise<PreviousPath> => {
  const candidates = journal.recordings.byInode(file.identity)
  let from: Recording | null = null
  for (const other of candidates) {
    if (!(await isThere(files, other.path))) {
      if (isMoved(other, file.identity)) from = other
    } else if (other.state === 'growing') {
      const current = await files.identify(other.path)
      if (current.ok && sameInode(current.value, file.identity)) return { kind: 'not-new' }
    }
  }
  if (from !== null) return { kind: 'moved', from }
  const isStale = candidates.length > 0 && !(await isThere(files, file.path))
  return { kind: isStale ? 'not-new' : 'none' }
}

/**
 * Whether the file is the recording's own file under a new name. Also true if the file has grown, because recorders
 * often rename a file immediately after they wrote the last bytes.
 */
const isMoved = ({ identity, state, sha256 }: Recording, now: FileIdentity): boolean =>
  sameExceptCtime(identity, now) ||
  ((needsFile(state) || state === 'gone') && isContinuation(identity, now, sha256 === null))
