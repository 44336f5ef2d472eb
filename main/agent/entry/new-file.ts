import { writeFileSync } from 'node:fs'
import { describeCode, systemCode } from '../platform/files/file-failure.ts'

/** Nothing that is there is written over: what a person names by mistake may be a recording. */
export const writeNewFile = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    throw new Error(
      code === 'EEXIST'
        ? `${file} is there already, and is not written over. Name another file.`
        : `${file} cannot be written: ${describeCode(code)}.`,
    )
  }
}
