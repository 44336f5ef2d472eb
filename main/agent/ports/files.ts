import type { RecordingFormat } from '../../../shared/status/inspection.ts'
import { type Failure, type Outcome, wordsOf } from '../domain/failure.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

/** `complete` is `unknown` if the format does not mark the end of a file. */
export type FileInspection = {
  readonly format: RecordingFormat
  readonly complete: 'yes' | 'no' | 'unknown'
  /**
   * Whether another process has the file open for writing. `unseen`: the system does not show this. `unlikely`: the
   * system shows no writer, but hides the open files of some programs of this user. Most desktops run such a program,
   * so only a removal treats `unlikely` as a possible writer.
   */
  readonly writer: 'open' | 'none' | 'unlikely' | 'unseen'
  /** True if another PC may have the file open, which this PC cannot see. */
  readonly shared?: boolean
  /**
   * A value that changes with the file's first and last bytes. It reveals a write that size and times do not show yet:
   * in folder listings, Windows updates size and times only after the writer closes the file.
   */
  readonly sample: string
}

/**
 * The writer checks of a removal. On Linux, a process that maps the file, or holds it without a descriptor, counts as a
 * writer, even if the system does not show that the process may write. `at-removal` uses no earlier result: the check
 * starts with the call, so it sees every writer that opened the file before the call.
 */
export type RemovalCheck = 'before-removal' | 'at-removal'

/**
 * A file that has not changed since this time of the monotonic clock. The check sees each recorder that wrote the file
 * before this time and still has it open.
 */
export type UnchangedFile = { readonly unchangedSinceMs: number }
export type WriterCheck = RemovalCheck | UnchangedFile

/**
 * What is at a path. `replaced`: the path is a link, a folder or a special file, or one of its parent folders inside
 * the watched folder is now a link. `unknown`: the drive did not answer or denied access.
 */
export type PathPresence = 'file' | 'replaced' | 'missing' | 'unknown'

export type Files = {
  readonly identify: (path: string) => Promise<Outcome<FileIdentity>>
  /** Except with the check `at-removal`, `writer` may be a second old, and a few seconds old on a busy system. */
  readonly inspect: (path: string, check?: WriterCheck) => Promise<Outcome<FileInspection>>
  /** Opens the file once. All parts of a recording share the handle. */
  readonly open: (path: string) => Promise<Outcome<OpenRecording>>
  readonly exists: (path: string) => Promise<boolean>
  readonly presence: (path: string) => Promise<PathPresence>
  /**
   * The first bytes of a small text file next to a recording. Null if there is no regular file at this path, if the
   * file lies outside the watched folder, or if access is denied. On Windows, denied access is a failure instead,
   * because it may be temporary.
   */
  readonly readText: (path: string, maxBytes: number) => Promise<Outcome<string | null>>
  readonly freeBytes: (folder: string) => Promise<number | null>
}

export type OpenRecording = {
  readonly identify: () => Promise<FileIdentity>
  /**
   * Streams a range. Throws FileChangedError if the range is short or the file's identity differs before or after the
   * read. Throws FileUnreadableError if the system refuses to read, or if the file no longer lies in the watched
   * folder. The read does not hash the bytes again. If an edit left the identity unchanged, the storage refuses the
   * part (§4.2), and Sluice then finds out why. A chunk may be overwritten once the caller requests the second chunk
   * after it. A caller that keeps a chunk must copy it.
   */
  readonly read: (range: {
    readonly start: number
    readonly length: number
    readonly identity: FileIdentity
    readonly throttle?: (bytes: number) => Promise<void>
    /** The read fills these buffers in turn. A later read may reuse them once no caller holds a chunk. */
    readonly buffers?: Buffer[]
  }) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/**
 * The result of an operation on a file. All results except `done` leave the file as it was, unless its drive hangs or
 * fails (see `FileOperations`).
 */
export type FileOperationResult =
  | { readonly kind: 'done' }
  /** The file does not have the expected identity. It keeps its name, or Sluice undoes the rename. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'vanished' }
  /** A file with this name already exists. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'other-drive' }
  | { readonly kind: 'refused'; readonly detail: string }

/** `identity` is the file's identity under its new name. */
export type HideResult =
  | { readonly kind: 'done'; readonly identity: FileIdentity }
  | Exclude<FileOperationResult, { kind: 'done' }>

/**
 * The only operations of Sluice that change a recorder's files. None of them overwrites a file, except in a race on
 * drives without hard links (see `rename-if-free.ts`). None of them writes outside the watched folder or the folder
 * that files are moved to. If a drive does not respond, the result is `refused`, and the drive may still perform the
 * operation later. If only the sync after an operation fails, the result is not `done`, although the operation took
 * place.
 */
export type FileOperations = {
  /** Renames the file in its folder, so that programs that know its path can no longer open it. */
  readonly hide: (path: string, removalName: string, identity: FileIdentity) => Promise<HideResult>
  /** Renames a file on the same drive, durably. If `identity` is given, renames the file only if it matches. */
  readonly place: (from: string, to: string, identity?: FileIdentity) => Promise<FileOperationResult>
  /** Copies durably and keeps the mtime. Deletes an unfinished copy. The result of an aborted copy is `changed`. */
  readonly copy: (
    from: string,
    to: string,
    identity: FileIdentity,
    signal: AbortSignal,
  ) => Promise<FileOperationResult>
  /** Deletes a regular file. If `identity` is given, deletes the file only if it matches. */
  readonly remove: (path: string, identity?: FileIdentity) => Promise<FileOperationResult>
  /**
   * Creates a folder and its missing parent folders inside a watched or target folder, but never the watched or target
   * folder itself.
   */
  readonly makeFolder: (folder: string) => Promise<FileOperationResult>
  /** The folder's path with all links resolved. Null if there is no such folder, or if it cannot be read. */
  readonly realFolder: (folder: string) => Promise<string | null>
  readonly sameDrive: (a: string, b: string) => Promise<boolean>
}

export class FileChangedError extends Error {}

/** The system refused to read the file, or the file no longer lies in the watched folder. */
export class FileUnreadableError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(wordsOf(failure) ?? failure.kind)
    this.failure = failure
  }
}
