import { writeFileSync } from 'node:fs'
import { MIB } from './station.ts'

/** Fills the disk to the last byte, so that SQLite cannot add even one database page. */
export const fillDisk = (file: string): void => {
  for (let bytes = 16 * MIB; bytes >= 1; bytes = Math.floor(bytes / 2))
    for (;;)
      try {
        writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        break
      }
}
