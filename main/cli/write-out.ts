import { closeSync, openSync } from 'node:fs'
import { describeCode, systemCode } from '../agent/platform/files/file-failure.ts'
import { writeAll } from '../local-files/plain-file.ts'
import { printLine } from './terminal.ts'

/** Never overwrites a file, because a user may type the path of a recording by mistake. */
const writeNewFile = (file: string, pieces: readonly string[]): void => {
  try {
    const handle = openSync(file, 'wx', 0o600)
    try {
      for (const piece of pieces) writeAll(handle, Buffer.from(piece))
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    throw new Error(
      code === 'EEXIST'
        ? `${file} already exists and is not overwritten. Choose a different name.`
        : `${file} cannot be written: ${describeCode(code)}.`,
    )
  }
}

/** Writes to a new file, or to standard output if `out` is null. */
export const writeOut = async (
  out: string | null,
  pieces: readonly string[],
  content: string,
): Promise<void> => {
  if (out === null) {
    // Wait for each write, because the output for a slow reader would fill the memory.
    for (const piece of pieces) await new Promise((resolve) => process.stdout.write(piece, resolve))
    return
  }
  writeNewFile(out, pieces)
  printLine(`${content} written to ${out}`, process.stderr)
}
