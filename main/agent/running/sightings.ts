import { movedFile, sameInode } from '../domain/file-identity.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Files, FoundFile } from '../ports.ts'

/** A file of the listing, and what the journal may already call it. */
export type Sighting = {
  readonly file: FoundFile
  /** The same file under another spelling of its path. */
  readonly spelledOtherwise: Recording | null
  readonly movedFrom: Recording | null
}

type World = { readonly journal: Journal; readonly files: Files }

/** `present`: every path of the listing. */
export const sightingsOf = async (
  files: readonly FoundFile[],
  present: ReadonlySet<string>,
  world: World,
): Promise<Sighting[]> => {
  const batch: Sighting[] = []
  for (const file of files) {
    const isKnown = world.journal.recordings.currentByPath(file.path) !== null
    const spelledOtherwise = isKnown ? null : await otherSpelling(file, present, world)
    const movedFrom = isKnown || spelledOtherwise !== null ? null : await placeBefore(file, world)
    batch.push({ file, spelledOtherwise, movedFrom })
  }
  return batch
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

/** A new path whose inode is known under a path that no longer exists was renamed or moved, not recorded. */
const placeBefore = async (file: FoundFile, { journal, files }: World): Promise<Recording | null> => {
  let movedFrom: Recording | null = null
  for (const other of journal.recordings.byInode(file.identity))
    if (movedFile(other.identity, file.identity) && !(await files.exists(other.path))) movedFrom = other
  return movedFrom
}
