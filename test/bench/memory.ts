import { formatBytes } from '../../shared/words/format.ts'
import { Station } from '../support/station.ts'
import { uploadSparseFile } from '../support/upload-memory.ts'
import type { Bench } from './figure.ts'
import { onDisk } from './on-disk.ts'

/**
 * Measures the peak memory of the whole agent, as the kernel reports it, while the agent hashes and uploads a sparse
 * file. SLUICE_BENCH_SPARSE_GB sets the larger size.
 */
const MAX_MB = 200

const peakMb = async (bytes: number): Promise<number> => {
  const station = await Station.open()
  try {
    station.configure({ folder: { part_size_bytes: undefined } })
    return (await uploadSparseFile(station, bytes)) / 1e6
  } finally {
    await station.close()
  }
}

export const benchMemory: Bench = async ({ smallSparseBytes, largeSparseBytes }) => {
  if (process.platform !== 'linux') return [{ what: 'peak memory of the agent', missing: 'Linux' }]
  // On disk, so that the files take no memory. The sandbox stores zeros as holes, so its copy takes no space.
  return onDisk(async () => {
    const small = await peakMb(smallSparseBytes)
    const large = await peakMb(largeSparseBytes)
    const what = `peak memory of the agent with a recording of ${formatBytes(largeSparseBytes)}`
    return [
      {
        what,
        unit: 'MB',
        ours: [large],
        reference: { name: `the agent with ${formatBytes(smallSparseBytes)}`, values: [small] },
        goal: { kind: 'times-the-reference', atMost: 1.1 },
      },
      { what, unit: 'MB', ours: [large], reference: null, goal: { kind: 'own', atMost: MAX_MB } },
    ]
  })
}
