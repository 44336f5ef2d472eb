import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const FILES_IN_A_FOLDER = 1_000

/** Writes a tree of small recordings, with one folder per 1,000 files. */
export const writeKnownFiles = (folder: string, files: number): void => {
  for (let file = 0; file < files; file += 1) {
    const night = path.join(folder, `night-${Math.floor(file / FILES_IN_A_FOLDER)}`)
    if (file % FILES_IN_A_FOLDER === 0) mkdirSync(night, { recursive: true })
    writeFileSync(path.join(night, `take-${file}.bin`), 'old')
  }
}
