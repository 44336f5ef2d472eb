import { type FileIdentity, goesOnAs, movedFile, sameFile, sameInode } from '../../domain/file-identity.ts'
import { needsFile } from '../../domain/states.ts'
import type { Journal, Recording, SeenFile } from '../../journal/journal.ts'
import type { Files } from '../../ports/files.ts'
import type { FoundFile } from '../../ports/folders.ts'

/** Nothing to do for it: almost every file of almost every look. Counts the bytes that are processed. */
export const isAsItWas = (
  { identity }: FoundFile,
  seen: SeenFile | undefined,
  processed: Map<string, number>,
): boolean => {
  if (seen === undefined || seen.state === 'gone' || !sameFile(seen.identity, identity)) return false
  if (seen.state === 'processed' && !seen.hasProblem && seen.service !== null)
    processed.set(seen.service, (processed.get(seen.service) ?? 0) + identity.sizeBytes)
  return true
}

/** A file of the listing, and what the journal may already call it. */
export type Sighting = {
  readonly file: FoundFile
  /** The same file under another spelling of its path. */
  readonly spelledOtherwise: Recording | null
  readonly movedFrom: Recording | null
}

type World = { readonly journal: Journal; readonly files: Files }

/** `present`: every path of the listing. Leaves out what a rename made the listing show twice. */
export const sightingsOf = async (
  files: readonly FoundFile[],
  present: ReadonlySet<string>,
  world: World,
): Promise<Sighting[]> => {
  const batch: (Sighting & { readonly known: Recording | null })[] = []
  for (const file of files) {
    const known = world.journal.recordings.currentByPath(file.path)
    const spelledOtherwise = known !== null ? null : await otherSpelling(file, present, world)
    const before =
      known !== null || spelledOtherwise !== null
        ? ({ kind: 'none' } as const)
        : await placeBefore(file, world)
    if (before.kind === 'not-another') continue
    batch.push({ file, known, spelledOtherwise, movedFrom: before.kind === 'moved' ? before.from : null })
  }
  // The listing caught a file under both its names: once it has moved, its old name is no recording.
  const isNameBefore = ({ file, known }: (typeof batch)[number]) =>
    known !== null &&
    batch.some(
      ({ movedFrom, file: now }) => movedFrom?.id === known.id && sameInode(now.identity, file.identity),
    )
  return batch.filter((sighting) => !isNameBefore(sighting))
}

/**
 * The journal has the path in other letters: the settings were typed anew, or the file got another case. Where the
 * system tells case apart all the same, both spellings are listed, or the other one leads to another file.
 */
const otherSpelling = async (
  file: FoundFile,
  present: ReadonlySet<string>,
  { journal, files }: World,
): Promise<Recording | null> => {
  for (const other of journal.recordings.otherSpellings(file.path)) {
    if (present.has(other.path)) continue
    if (sameInode(other.identity, file.identity) && (await files.exists(other.path))) return other
    const there = await files.identify(other.path)
    if (there.ok && sameInode(there.value, file.identity)) return other
  }
  return null
}

type PlaceBefore =
  | { readonly kind: 'none' }
  | { readonly kind: 'moved'; readonly from: Recording }
  /** A second name of a recording that still grows, or a name that is no longer there. */
  | { readonly kind: 'not-another' }

/**
 * A new path whose inode is known under a path that no longer exists was renamed or moved, not recorded. A recorder
 * that finishes a file by linking it to its final name shows both for a moment: until the recording is finished, it
 * keeps the first name for as long as that is there.
 */
const placeBefore = async (file: FoundFile, { journal, files }: World): Promise<PlaceBefore> => {
  const candidates = journal.recordings.byInode(file.identity)
  let from: Recording | null = null
  for (const other of candidates) {
    if (!(await files.exists(other.path))) {
      if (isMoved(other, file.identity)) from = other
    } else if (other.state === 'growing') {
      const there = await files.identify(other.path)
      if (there.ok && sameInode(there.value, file.identity)) return { kind: 'not-another' }
    }
  }
  if (from !== null) return { kind: 'moved', from }
  const isStale = candidates.length > 0 && !(await files.exists(file.path))
  return { kind: isStale ? 'not-another' : 'none' }
}

/** With the last bytes just written, too: a recorder often writes them and renames the file in one go. */
const isMoved = ({ identity, state, sha256 }: Recording, now: FileIdentity): boolean =>
  movedFile(identity, now) ||
  ((needsFile(state) || state === 'gone') && goesOnAs(identity, now, sha256 === null))
