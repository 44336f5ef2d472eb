import { splitPartOf } from './takes.ts'

/**
 * A file is full if it has at least this share of the longest past duration or of the largest past size. A recorder
 * that splits a recording fills every file except the last.
 */
const FULL_SHARE = 0.9

type File = {
  readonly name: string
  readonly sizeBytes: number
  readonly inspection: { readonly durationS: number | null }
}

const isFull = (file: File, past: readonly File[]): boolean =>
  [({ inspection }: File) => inspection.durationS ?? 0, ({ sizeBytes }: File) => sizeBytes].some(
    (of) => of(file) > 0 && past.every((each) => of(file) >= of(each) * FULL_SHARE),
  )

/**
 * Whether this file continues a recording that its recorder splits into files. The last such file may be short. The
 * names show this: a recorder that splits uses a new name for each recording (`run1_0`, `run1_1`, `run2_0`, `run2_1`),
 * and one that only numbers uses the same name (`run_0`, `run_1`). So another name must have consecutive numbers too.
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
