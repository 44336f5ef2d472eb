import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import { createHashPool } from '../../main/agent/platform/hashing/hash-pool.ts'
import { type Comparison, median } from './comparison.ts'

/**
 * Whole-file and part digests of a 2 GB cached file, against two `openssl dgst` side by side: one over the whole
 * file, one over the parts (cut beforehand, so that it reads plain files too). Rounds alternate, because what else
 * the PC does changes from second to second.
 */

const sizeBytes = 2_000_000_000
const partSizeBytes = 64 * 1024 * 1024
const rounds = 7

export const benchHash = async (): Promise<Comparison> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-hash-'))
  const pool = createHashPool()
  try {
    const { whole, parts } = await writeFiles(folder)
    const identity = await identifyFile(whole)
    if (!identity.ok) throw new Error(identity.failure.kind)
    const oursMs: number[] = []
    const referenceMs: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const ours = await timed(async () => {
        const outcome = await pool.hash({
          path: whole,
          identity: identity.value,
          partSizeBytes,
          onProgress: () => {},
          signal: new AbortController().signal,
        })
        if (!outcome.ok) throw new Error(outcome.failure.kind)
        return [outcome.value.sha256, ...outcome.value.partSha256]
      })
      const reference = await timed(async () =>
        (await Promise.all([opensslDigests([whole]), opensslDigests(parts)])).flat(),
      )
      if (ours.result.join() !== reference.result.join()) throw new Error('the digests differ')
      // The first round warms caches and starts our threads, which stay up between files.
      if (round === 0) continue
      oursMs.push(ours.ms)
      referenceMs.push(reference.ms)
    }
    const ours = megabytesPerSecond(median(oursMs))
    const reference = megabytesPerSecond(median(referenceMs))
    return {
      name: 'hash 2 GB, whole + parts, vs openssl',
      ours,
      reference,
      ratio: ours / reference,
      unit: 'MB/s',
    }
  } finally {
    await pool.close()
    await rm(folder, { recursive: true })
  }
}

const writeFiles = async (folder: string): Promise<{ whole: string; parts: string[] }> => {
  const whole = join(folder, 'whole.wav')
  const parts: string[] = []
  const all = await open(whole, 'w')
  const bytes = crypto.getRandomValues(Buffer.alloc(65_536))
  const block = Buffer.concat(Array.from({ length: partSizeBytes / bytes.length }, () => bytes))
  for (let start = 0; start < sizeBytes; start += partSizeBytes) {
    block.writeUInt32LE(parts.length)
    const part = block.subarray(0, Math.min(partSizeBytes, sizeBytes - start))
    const path = join(folder, `part-${String(parts.length).padStart(3, '0')}`)
    const one = await open(path, 'w')
    await one.writeFile(part)
    await one.close()
    await all.writeFile(part)
    parts.push(path)
  }
  await all.close()
  return { whole, parts }
}

const opensslDigests = async (paths: readonly string[]): Promise<string[]> => {
  const child = spawn('openssl', ['dgst', '-sha256', '-r', ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`openssl ended with code ${code}`)
  return output
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 64))
}

const timed = async <T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> => {
  const startedMs = performance.now()
  const result = await work()
  return { result, ms: performance.now() - startedMs }
}

const megabytesPerSecond = (ms: number): number => sizeBytes / 1000 / ms
