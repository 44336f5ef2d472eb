import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import { createHashPool } from '../../main/agent/platform/hashing/hash-pool.ts'
import { formatBytes } from '../../shared/words/format.ts'
import { type Bench, runInterleaved } from './figure.ts'

/**
 * Measures how fast the agent hashes a cached file, both as a whole and in parts. The reference is two parallel runs of
 * `openssl dgst`: one reads the whole file, the other reads files that contain one part each.
 */

const PART_BYTES = 64 * 1024 * 1024

export const benchHash: Bench = async ({ hashedBytes, rounds }) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-hash-'))
  const pool = createHashPool()
  try {
    const { whole, parts } = await writeFiles(folder, hashedBytes)
    const identity = await identifyFile(whole)
    if (!identity.ok) throw new Error(identity.failure.kind)
    let digests = ''
    const [ours = [], reference = []] = await runInterleaved(rounds, [
      async () => {
        const startedMs = performance.now()
        const outcome = await pool.hash({
          path: whole,
          identity: identity.value,
          partSizeBytes: PART_BYTES,
          onProgress: () => {},
          signal: new AbortController().signal,
        })
        if (!outcome.ok) throw new Error(outcome.failure.kind)
        digests = [outcome.value.sha256, ...outcome.value.partSha256].join()
        return hashedBytes / 1000 / (performance.now() - startedMs)
      },
      async () => {
        const startedMs = performance.now()
        const opensslResults = (await Promise.all([opensslDigests([whole]), opensslDigests(parts)])).flat()
        const megabytesPerSecond = hashedBytes / 1000 / (performance.now() - startedMs)
        if (opensslResults.join() !== digests) throw new Error('the digests differ')
        return megabytesPerSecond
      },
    ])
    return [
      {
        what: `whole and part SHA-256 of a cached file of ${formatBytes(hashedBytes)}`,
        unit: 'MB/s',
        ours,
        reference: { name: 'two parallel openssl dgst processes', values: reference },
        goal: { kind: 'times-the-reference', atLeast: 0.95 },
      },
    ]
  } finally {
    await pool.close()
    await rm(folder, { recursive: true })
  }
}

const writeFiles = async (folder: string, sizeBytes: number): Promise<{ whole: string; parts: string[] }> => {
  const whole = join(folder, 'whole.wav')
  const parts: string[] = []
  const wholeHandle = await open(whole, 'w')
  const bytes = crypto.getRandomValues(Buffer.alloc(65_536))
  const block = Buffer.concat(Array.from({ length: PART_BYTES / bytes.length }, () => bytes))
  for (let start = 0; start < sizeBytes; start += PART_BYTES) {
    block.writeUInt32LE(parts.length)
    const part = block.subarray(0, Math.min(PART_BYTES, sizeBytes - start))
    const path = join(folder, `part-${String(parts.length).padStart(3, '0')}`)
    const partHandle = await open(path, 'w')
    await partHandle.writeFile(part)
    await partHandle.close()
    await wholeHandle.writeFile(part)
    parts.push(path)
  }
  await wholeHandle.close()
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
