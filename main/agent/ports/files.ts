import type { RecordingFormat } from '../../../shared/status/inspection.ts'
import { type Failure, type Outcome, wordsOf } from '../domain/failure.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

/** `complete` is `unknown` if the format does not mark the end of a file. */
export type FileInspection = {
  readonly format: RecordingFormat
  readonly complete: 'yes' | 'no' | 'unknown'
  /**
   * Whether another process has the file open for writing. `unseen`: the system does not reveal this. `unlikely`: no
   * visible program writes the file, but some programs of this user hide their open files. Most desktops run at least
   * one of these programs, so `unlikely` delays only removals.
   */
  readonly writer: 'open' | 'none' | 'unlikely' | 'unseen'
  /** True if another PC may have the file open. This PC cannot see that. */
  readonly shared?: boolean
  /**
   * A value that changes with the file's first and last bytes. On Windows, it reveals a write early: size and times in
   * folder listings change only after the writer closes the file.
   */
  readonly sample: string
}

/**
 * The writer checks of a removal. On Linux, a process that maps the file counts as a writer, even if it may not write.
 * `at-removal` uses no earlier result, so it sees every writer that opened the file before the call.
 */
export type RemovalCheck = 'before-removal' | 'at-removal'

/**
 * The file has not changed since this time of the monotonic clock. The check may use a stored result if it is newer
 * than this time.
 */
export type UnchangedFile = { readonly unchangedSinceMs: number }
export type WriterCheck = RemovalCheck | UnchangedFile

/**
 * What is at a path. `replaced`: something other than a regular file, or a path through a folder that is now a link.
 * `unknown`: the drive did not answer or denied access.
 */
export type PathPresence = 'file' | 'replaced' | 'missing' | 'unknown'

export type Files = {
  readonly identify: (path: string) => Promise<Outcome<FileIdentity>>
  /** `writer` may be a few seconds old, except with the check `at-removal`. */
  readonly inspect: (path: string, check?: WriterCheck) => Promise<Outcome<FileInspection>>
  /** Opens the file once. All parts of a recording share the handle. */
  readonly open: (path: string) => Promise<Outcome<OpenRecording>>
  readonly exists: (path: string) => Promise<boolean>
  readonly presence: (path: string) => Promise<PathPresence>
  /**
   * The first bytes of a small text file next to a recording. Null if the watched folder does not contain the file, or
   * if Sluice may not read it. On Windows, denied access is a failure, because it may be temporary.
   */
  readonly readText: (path: string, maxBytes: number) => Promise<Outcome<string | null>>
  readonly freeBytes: (folder: string) => Promise<number | null>
}

export type OpenRecording = {
  readonly identify: () => Promise<FileIdentity>
  /**
   * Streams a range. Throws FileChangedError if the file has changed before or during the read. Throws
   * FileUnreadableError if the system refuses to read, or if the file no longer lies in the watched folder. Does not
   * hash the bytes again. If the content changed but the identity did not, the storage refuses the part (§4.2). A later
   * chunk may overwrite an earlier one, so a caller that keeps a chunk must copy it.
   */
  readonly read: (range: {
    readonly start: number
    readonly length: number
    readonly identity: FileIdentity
    readonly throttle?: (bytes: number) => Promise<void>
    /** The read fills these buffers in turn. When no caller uses a chunk any more, the next read can reuse them. */
    readonly buffers?: Buffer[]
  }) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/**
 * The result of an operation on a file. After any result except `done`, the file is unchanged, unless the drive hangs
 * or fails (see `FileOperations`).
 */
export type FileOperationResult =
  | { readonly kind: 'done' }
  /** The file does not have the expected identity. It keeps its name, or gets it back. */
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
 * The only operations of Sluice that change a recorder's files. They write only in watched folders and in folders that
 * Sluice moves files to. They overwrite no file, except in a race on drives without hard links (see
 * `rename-if-free.ts`). If the drive hangs, the result is `refused`, but the operation may still take place later. If
 * only the sync fails, the result is not `done`, although the operation took place.
 */
export type FileOperations = {
  /** Renames the file in its folder, so that no program can open it by its known path. */
  readonly hide: (path: string, removalName: string, identity: FileIdentity) => Promise<HideResult>
  /** Renames a file on the same drive, durably. If `identity` is given, renames the file only if it matches. */
  readonly place: (from: string, to: string, identity?: FileIdentity) => Promise<FileOperationResult>
  /** Copies durably and keeps the mtime. After an abort, deletes the unfinished copy and returns `changed`. */
  readonly copy: (
    from: string,
    to: string,
    identity: FileIdentity,
    signal: AbortSignal,
  ) => Promise<FileOperationResult>
  /** Deletes a regular file. If `identity` is given, deletes the file only if it matches. */
  readonly remove: (path: string, identity?: FileIdentity) => Promise<FileOperationResult>
  /** Creates a folder inside a watched or target folder, but never the watched or target folder itself. */
  readonly makeFolder: (folder: string) => Promise<FileOperationResult>
  /** The folder's path with all links resolved. Null if the folder is missing or cannot be read. */
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
