import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { writeRandomFile } from './kill-repeatedly.ts'
import { MIB, PART, type Station } from './station.ts'

/** Creates a sparse file quickly. A few unique blocks make all its parts different. */
const writeSparseFile = (file: string, bytes: number, random: () => number): void => {
  writeFileSync(file, '')
  truncateSync(file, bytes)
  const handle = openSync(file, 'r+')
  for (let at = 0; at < bytes; at += 50 * MIB)
    writeSync(handle, Buffer.from(`${random()} at ${at}`), 0, null, Math.min(at, bytes - 64))
  closeSync(handle)
}

const EDGE_SIZES = [1, 2, 1000, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1]

export type ManyFiles = {
  /** The number of files, including the large file. */
  readonly files: number
  readonly largeBytes: number
  readonly largePartBytes: number
  readonly random: () => number
}

/**
 * Uploads files of mixed sizes and one large file. Checks that the service has the same bytes and received each part
 * once.
 */
export const expectManyFilesSafe = async (
  station: Station,
  { files, largeBytes, largePartBytes, random }: ManyFiles,
): Promise<void> => {
  const largeFolder = path.join(station.root, 'large')
  mkdirSync(largeFolder)
  const rules = { site: 'lab', settle_seconds: 0.3 }
  station.configure({
    rest: {
      folders: [
        { path: station.recordings, part_size_bytes: PART, ...rules },
        { path: largeFolder, part_size_bytes: largePartBytes, ...rules },
      ],
    },
  })
  for (let n = 0; n < files - 1; n += 1) {
    const bytes = EDGE_SIZES[n] ?? Math.ceil(random() ** 6 * 2 * PART)
    await writeRandomFile(path.join(station.recordings, `take-${n}.bin`), bytes, random)
  }
  writeSparseFile(path.join(largeFolder, 'long.bin'), largeBytes, random)

  expect(await station.runToIdle()).toBe(0)

  expect((await station.status()).recordings).toHaveLength(files)
  expect(await station.sessions()).toHaveLength(files)
  await station.expectAllSafe()
  // Nothing failed, so the agent had no reason to send a part twice.
  const { parts } = await station.stats()
  const counts = Object.values(parts).flatMap((partCounts) => Object.values(partCounts))
  expect(new Set(counts)).toEqual(new Set([1]))
}
