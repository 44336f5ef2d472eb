import type { RecordingFormat } from '../status/inspection.ts'
import type { BoundedReader } from './bounded-reader.ts'
import type { Findings } from './findings.ts'

/** `unmarked`: the format does not mark its end, or not in this file. */
export type EndMark = 'marked' | 'cut-off' | 'unmarked'

/** How many first bytes `matches` gets. */
export const HEAD_BYTES = 16

/** One format. Everything that Sluice knows about it is behind this. */
export type Format = {
  readonly name: RecordingFormat
  /** `head` may be shorter than requested; `fileName` is in lower case. */
  readonly matches: (head: Buffer, fileName: string) => boolean
  /** Whether the file has its proper end. Reads a few kilobytes, because the settler calls it. */
  readonly findEnd: (reader: BoundedReader) => Promise<EndMark>
  /** Fills `findings`. Throws DamagedError or EndOfFileError, and what was found before still counts. */
  readonly inspect: (reader: BoundedReader, findings: Findings) => Promise<void>
}
