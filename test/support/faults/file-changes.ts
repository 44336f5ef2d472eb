import {
  appendFileSync,
  closeSync,
  openSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'

/** A hidden edit: different bytes, the same size, the old mtime. */
export const editKeepingTimes = (file: string): void => {
  const { atimeMs, mtimeMs } = statSync(file)
  const handle = openSync(file, 'r+')
  writeSync(handle, 'edited', 4_096)
  closeSync(handle)
  utimesSync(file, atimeMs / 1_000, mtimeMs / 1_000)
}

/** Replaces the file, like a program that writes a temporary file and renames it. */
export const replace = (file: string): void => {
  writeFileSync(`${file}.tmp`, `something else entirely, ${file}`)
  renameSync(`${file}.tmp`, file)
}

export const truncate = (file: string): void => truncateSync(file, 1_234)

export const append = (file: string): void => appendFileSync(file, 'more')
