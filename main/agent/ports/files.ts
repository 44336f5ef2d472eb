import type { RecordingFormat } from '../../../shared/status/inspection.ts'
import { type Failure, type Outcome, wordsOf } from '../domain/failure.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

/** `unknown` where the format says nothing. */
export type FileInspection = {
  readonly format: RecordingFormat
  readonly complete: 'yes' | 'no' | 'unknown'
  /** Whether another process has it open for writing; `unseen` if the system does not show that. */
  readonly writer: 'open' | 'none' | 'unseen'
  /** Another PC may have it open, which this one cannot see. */
  readonly shared?: boolean
  /** Changes with its first and last bytes. Windows keeps size and times back while a writer has the file open. */
  readonly sample: string
}

export type Files = {
  readonly identify: (path: string) => Promise<Outcome<FileIdentity>>
  /** `anew`: checks for a writer now; otherwise an answer of the last second may serve. */
  readonly inspect: (path: string, look?: 'anew') => Promise<Outcome<FileInspection>>
  /** Opens once; parts of one recording share the handle. */
  readonly open: (path: string) => Promise<Outcome<OpenRecording>>
  readonly exists: (path: string) => Promise<boolean>
  /** The beginning of a small text beside a recording; null where there is none. */
  readonly readText: (path: string, mostBytes: number) => Promise<Outcome<string | null>>
  readonly freeBytes: (folder: string) => Promise<number | null>
}

export type OpenRecording = {
  readonly identify: () => Promise<FileIdentity>
  /**
   * Streams a range. Throws FileChangedError when the range is short or the file is not the one it was before and
   * after the read, and FileUnreadableError when the system refuses to read. The bytes are not hashed again: an edit
   * that left no trace in the file's identity is refused by the storage (§4.2); only then Sluice looks for the cause. A
   * chunk may be overwritten once the second one after it is asked for: whoever keeps it longer makes a copy.
   */
  readonly read: (range: {
    readonly start: number
    readonly length: number
    readonly identity: FileIdentity
    readonly pace?: (bytes: number) => Promise<void>
    /** Filled by the read and used in turn; another read may have them when nobody holds a chunk any more. */
    readonly buffers?: Buffer[]
  }) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/** What became of an act on a file. Only `done` changed anything that stays. */
export type FileActed =
  | { readonly kind: 'done' }
  /** It is not, or was not in the end, the file that was meant: it has its name back. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'vanished' }
  /** Something has this name already. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'other-drive' }
  | { readonly kind: 'refused'; readonly detail: string }

/** With the identity that the file has under its new name. */
export type SetAside =
  | { readonly kind: 'done'; readonly identity: FileIdentity }
  | Exclude<FileActed, { kind: 'done' }>

/**
 * The only acts of Sluice that change what a recorder has written. None of them overwrites anything, and none leads out of
 * the watched folder or the folder that files are moved to. A drive that does not answer refuses; what it was asked last
 * may still happen, as after a kill.
 */
export type FileActs = {
  /** Gives the very file another name beside it, where nobody who knows its path finds it any more. */
  readonly setAside: (path: string, aside: string, identity: FileIdentity) => Promise<SetAside>
  /** Gives a file its name on the same drive, durably; with an identity, only if the file has it. */
  readonly place: (from: string, to: string, identity?: FileIdentity) => Promise<FileActed>
  /** Durably; with the time of the last write. What it began and could not end is removed. */
  readonly copy: (from: string, to: string, identity: FileIdentity, signal: AbortSignal) => Promise<FileActed>
  /** Removes a regular file; with an identity, only if the file has it. */
  readonly remove: (path: string, identity?: FileIdentity) => Promise<FileActed>
  /** Below a folder that is there. */
  readonly makeFolder: (folder: string) => Promise<FileActed>
  /** Where a folder really is; null where there is none. */
  readonly realFolder: (folder: string) => Promise<string | null>
  readonly sameDrive: (a: string, b: string) => Promise<boolean>
}

export class FileChangedError extends Error {}

/** The system refused to read. */
export class FileUnreadableError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(wordsOf(failure) ?? failure.kind)
    this.failure = failure
  }
}
