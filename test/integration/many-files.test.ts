import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-again.ts'
import { seeded } from '../support/seeded.ts'
import { MIB, PART, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const GB = 1_000_000_000

/** Mostly holes, so that it is quick to make; a few blocks of its own, so that no part is like another. */
const writeSparseFile = (file: string, bytes: number, random: () => number): void => {
  writeFileSync(file, '')
  truncateSync(file, bytes)
  const handle = openSync(file, 'r+')
  for (let at = 0; at < bytes; at += 50 * MIB)
    writeSync(handle, Buffer.from(`${random()} at ${at}`), 0, null, Math.min(at, bytes - 64))
  closeSync(handle)
}

test('200 files of mixed sizes, 1 byte to 3 GB: every one processed, the same bytes at the service', async () => {
  const random = seeded(200)
  station = await Station.open(['--rate-limit', '1000000'])
  const large = path.join(station.root, 'large')
  mkdirSync(large)
  const rules = { site: 'lab', settle_seconds: 0.3 }
  station.configure({
    rest: {
      folders: [
        { path: station.recordings, part_size_bytes: PART, ...rules },
        { path: large, part_size_bytes: 256 * MIB, ...rules },
      ],
    },
  })
  const edges = [1, 2, 1000, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1]
  for (let n = 0; n < 199; n += 1) {
    const bytes = edges[n] ?? Math.ceil(random() ** 6 * 2 * PART)
    await writeRandomFile(path.join(station.recordings, `take-${n}.bin`), bytes, random)
  }
  writeSparseFile(path.join(large, 'long.bin'), 3 * GB, random)

  expect(await station.runToIdle()).toBe(0)

  expect((await station.status()).recordings).toHaveLength(200)
  expect(await station.sessions()).toHaveLength(200)
  await station.expectAllSafe()
  // Nothing went wrong, so nothing travelled twice.
  const { parts } = await station.stats()
  const counts = Object.values(parts).flatMap((ofSession) => Object.values(ofSession))
  expect(new Set(counts)).toEqual(new Set([1]))
})
