import { splitPartOf } from './takes.ts'

/**
 * A file is full if its duration is at least this share of the longest past duration, or its size is at least this
 * share of the largest past size. A recorder that splits its recording fills every file except the last.
 */
const FULL_SHARE = 0.9

type File = {
  readonly name: string
  readonly sizeBytes: number
  readonly inspection: { readonly durationS: number | null }
}

/** Whether the file is about as long as the longest past file, or about as large as the largest. */
const isFull = (file: File, past: readonly File[]): boolean =>
  [({ inspection }: File) => inspection.durationS ?? 0, ({ sizeBytes }: File) => sizeBytes].some(
    (of) => of(file) > 0 && past.every((each) => of(file) >= of(each) * FULL_SHARE),
  )

/**
 * Whether this file continues a recording that its recorder splits into files. Such a file may be short, because it may
 * be the last one. A recorder that splits uses a new name for each recording: `run1_0`, `run1_1`, `run2_0`, `run2_1`. A
 * recorder that only numbers its recordings uses one name for all: `run_0`, `run_1`, `run_2`. So Sluice requires two
 * consecutive numbers under another name, too.
 */
export const continuesSplit = (file: Pick<File, 'name'>, past: readonly File[]): boolean => {
  const parts = past.flatMap((each) => {
    const part = splitPartOf(each.name)
    return part === null ? [] : [{ ...part, file: each }]
  })
  const previousOf = ({ recording, number }: { readonly recording: string; readonly number: number }) =>
    parts.find((other) => other.recording === recording && other.number === number - 1)
  const part = splitPartOf(file.name)
  const previous = part === null ? undefined : previousOf(part)
  return (
    previous !== undefined &&
    isFull(previous.file, past) &&
    parts.some((other) => other.recording !== previous.recording && previousOf(other) !== undefined)
  )
}
