import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { formatBytes } from '../../../shared/words/format.ts'
import type { Bench } from '../figure.ts'
import { onDisk } from '../on-disk.ts'
import { digestOfPart, PART_BYTES, pieces, sendParts } from '../send-parts.ts'
import { completeUpload, createUpload, missingForLab, withLab } from './lab.ts'

/** Measures the peak memory of the server while it receives and verifies one recording in S3. */
export const benchServerMemory: Bench = async ({ serverRecordingBytes, smallSparseBytes }) => {
  const what = `peak memory of the server with a recording of ${formatBytes(serverRecordingBytes)} in S3`
  const missing = (process.platform === 'linux' ? null : 'Linux') ?? missingForLab('s3')
  if (missing !== null) return [{ what, missing }]
  return onDisk(async () => {
    const small = await peakMb(smallSparseBytes)
    const large = await peakMb(serverRecordingBytes)
    return [
      {
        what,
        unit: 'MB',
        ours: [large],
        reference: { name: `the server with ${formatBytes(smallSparseBytes)}`, values: [small] },
        goal: { kind: 'times-the-reference' as const, atMost: 1.2 },
      },
    ]
  })
}

const peakMb = (bytes: number): Promise<number> =>
  withLab('s3', async (lab) => {
    const agent = new Agent({ keepAlive: true })
    try {
      const parts = Math.floor(bytes / PART_BYTES)
      const hash = createHash('sha256')
      for (let n = 0; n < parts; n += 1) for (const piece of pieces()) hash.update(piece)
      const size = { bytes: parts * PART_BYTES, partSize: PART_BYTES, sha256: hash.digest('hex') }
      const { id, urls } = await createUpload(lab, size)
      const { etags } = await sendParts(agent, urls, digestOfPart())
      await completeUpload(lab, id, etags)
      const status = readFileSync(`/proc/${lab.server.child.pid}/status`, 'utf8')
      return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024) / 1e6
    } finally {
      agent.destroy()
    }
  })
