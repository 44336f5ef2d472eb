import type { RecordingFormat } from '../status/inspection.ts'
import type { BoundedReader } from './bounded-reader.ts'
import type { Findings } from './findings.ts'

/** `unmarked`: the format or the file has no end mark, or the file is too damaged to tell. */
export type EndMark = 'marked' | 'cut-off' | 'unmarked'

/** How many bytes from the start of the file `matches` gets. */
export const HEAD_BYTES = 16

/** Everything that Sluice knows about one format. */
export type Format = {
  readonly name: RecordingFormat
  /** `head` is shorter than `HEAD_BYTES` if the file is; `fileName` is in lower case. */
  readonly matches: (head: Buffer, fileName: string) => boolean
  /** Checks whether the end of the file is missing. Must be fast, because the settle stage calls it often. */
  readonly findEnd: (reader: BoundedReader) => Promise<EndMark>
  /** Fills `findings`. If it throws because of the content or the time limit, the findings so far still count. */
  readonly inspect: (reader: BoundedReader, findings: Findings) => Promise<void>
}
