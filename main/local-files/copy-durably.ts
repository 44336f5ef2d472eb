import { closeSync, fsyncSync, readSync } from 'node:fs'
import { writeAll } from './plain-file.ts'

const COPY_BUFFER_BYTES = 1024 * 1024

/** Opens both files, copies one into the other so that the content survives a power cut, and closes both. */
export const copyDurably = (openSource: () => number, openTarget: () => number): void => {
  const source = openSource()
  try {
    const target = openTarget()
    try {
      const buffer = Buffer.allocUnsafe(COPY_BUFFER_BYTES)
      for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer))
        writeAll(target, buffer.subarray(0, read))
      fsyncSync(target)
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}
