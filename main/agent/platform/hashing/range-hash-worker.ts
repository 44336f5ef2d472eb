import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { fileFailure } from '../files/file-failure.ts'
import { whyOutsideSync } from '../files/inside-root.ts'
import { readFlags } from '../files/open-file.ts'
import type { RangeAnswer, RangeJob } from './hash-job.ts'

const run = ({ algorithm, path, root, range: { start, length } }: RangeJob): RangeAnswer => {
  let fd: number | null = null
  try {
    fd = openSync(path, readFlags)
    const outside = whyOutsideSync(fd, path, root)
    if (outside !== null) return { kind: 'failed', failure: { kind: 'file-unreadable', detail: outside } }
    const hash = createHash(algorithm)
    const buffer = new Uint8Array(1024 * 1024)
    for (let hashedBytes = 0; hashedBytes < length; ) {
      const bytesRead = readSync(
        fd,
        buffer,
        0,
        Math.min(buffer.length, length - hashedBytes),
        start + hashedBytes,
      )
      if (bytesRead === 0)
        return {
          kind: 'failed',
          failure: { kind: 'file-changed', detail: `the file ends at ${start + hashedBytes} bytes` },
        }
      hash.update(buffer.subarray(0, bytesRead))
      hashedBytes += bytesRead
    }
    return { kind: 'digest', hex: hash.digest('hex') }
  } catch (error) {
    return { kind: 'failed', failure: fileFailure(error) }
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

parentPort?.once('message', (job: RangeJob) => parentPort?.postMessage(run(job)))
