import { extname } from 'node:path'
import type { FileInspection } from '../../ports/files.ts'

type Verdict = Pick<FileInspection, 'format' | 'complete'>

export const headBytes = 12
export const tailBytes = 8

const mcapMagic = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a])
const unknownRiffSize = 0xffff_ffff

/** Detects the format and whether the file is complete. Pure; `head` and `tail` may be shorter than requested. */
export const detectFormat = (path: string, sizeBytes: number, head: Buffer, tail: Buffer): Verdict => {
  const extension = extname(path).toLowerCase()
  const startsAsMcap = head.subarray(0, mcapMagic.length).equals(mcapMagic)
  if (startsAsMcap || extension === '.mcap') {
    const closed = startsAsMcap && sizeBytes >= 2 * mcapMagic.length && tail.equals(mcapMagic)
    return { format: 'mcap', complete: closed ? 'yes' : 'no' }
  }
  if (isWave(head)) return { format: 'wav', complete: isWaveComplete(sizeBytes, head) }
  // The header is written first, so a shorter .wav has only just been created.
  if (extension === '.wav' && sizeBytes < headBytes) return { format: 'wav', complete: 'no' }
  return { format: 'other', complete: 'unknown' }
}

const isWave = (head: Buffer): boolean =>
  ['RIFF', 'RF64', 'BW64'].includes(head.toString('latin1', 0, 4)) &&
  head.toString('latin1', 8, 12) === 'WAVE'

const isWaveComplete = (sizeBytes: number, head: Buffer): FileInspection['complete'] => {
  const riffSize = head.readUInt32LE(4)
  // RF64 and BW64 store their size elsewhere. Recorders that stream never fill in the size.
  if (head.toString('latin1', 0, 4) !== 'RIFF' || riffSize === unknownRiffSize) return 'unknown'
  const withPadding = riffSize + (riffSize % 2)
  return sizeBytes - 8 === riffSize || sizeBytes - 8 === withPadding ? 'yes' : 'no'
}
