import { Station } from '../support/station.ts'
import { uploadSparseFile } from '../support/watch-memory.ts'
import type { Bench } from './figure.ts'

/** The kernel's peak of the whole agent while a sparse file is hashed and uploaded. The service keeps it on disk. */
const SMALL_BYTES = 1_000_000_000
const LARGE_BYTES = 16_000_000_000
const MOST_MB = 200

const peakMb = async (bytes: number): Promise<number> => {
  const station = await Station.open()
  try {
    station.configure({ folder: { part_size_bytes: undefined } })
    return (await uploadSparseFile(station, bytes)).peakRssBytes / 1e6
  } finally {
    await station.close()
  }
}

export const benchMemory: Bench = async () => {
  if (process.platform !== 'linux') return [{ what: 'peak memory of the agent', missing: 'Linux' }]
  const inMemory = process.env.TMPDIR
  // What the service keeps would be counted against this computer's memory.
  delete process.env.TMPDIR
  try {
    const small = await peakMb(SMALL_BYTES)
    const large = await peakMb(LARGE_BYTES)
    return [
      {
        what: 'peak memory of the agent at a recording of 16 GB',
        unit: 'MB',
        ours: [large],
        reference: { name: 'itself at 1 GB', values: [small] },
        goal: { kind: 'times-the-reference', atMost: 1.1 },
      },
      {
        what: 'peak memory of the agent at a recording of 16 GB',
        unit: 'MB',
        ours: [large],
        reference: null,
        goal: { kind: 'own', atMost: MOST_MB },
      },
    ]
  } finally {
    if (inMemory !== undefined) process.env.TMPDIR = inMemory
  }
}
