import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { createServiceClient } from '../../main/agent/service/client.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { startBareServer } from './bare-server-process.ts'
import { type Bench, measureMs, runInterleaved } from './figure.ts'

/**
 * Measures uploads of parts with known digests, four at a time, to a server that hashes and discards them. Our sender
 * reads the parts from the whole file and checks the identity of the file for each part. The reference is `curl`, four
 * processes at a time, each with a file that contains one part.
 */

const PART_BYTES = 64 * 1024 * 1024
const PARALLEL_PARTS = 4

type PreparedPart = { readonly file: string; readonly start: number; readonly sha256: string }

const silent = { info: () => {}, warn: () => {}, error: () => {} }
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

/** Works through the list with a fixed number of workers. */
const inParallel = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, worker))
}

const curl = async (url: string, { file, sha256 }: PreparedPart): Promise<void> => {
  const checksum = `x-amz-checksum-sha256: ${base64(sha256)}`
  const args = ['-sS', '--fail', '-o', '/dev/null', '-H', checksum, '-T', file, url]
  const child = spawn('curl', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`curl ended with ${code}`)
}

const writeRecording = async (folder: string, parts: number) => {
  const whole = path.join(folder, 'recording.bin')
  const handle = await open(whole, 'w')
  const partFiles: PreparedPart[] = []
  for (let index = 0; index < parts; index += 1) {
    const bytes = Buffer.alloc(PART_BYTES, `part ${index} of the recording `)
    await handle.write(bytes)
    const file = path.join(folder, `part-${index + 1}`)
    await writeFile(file, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    partFiles.push({ file, start: index * PART_BYTES, sha256 })
  }
  await handle.close()
  return { whole, partFiles }
}

export const benchParts: Bench = async ({ preparedParts, rounds }) => {
  const megabytesPerSecond = (ms: number) => (PART_BYTES * preparedParts) / 1000 / ms
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-parts-'))
  const server = await startBareServer()
  const platform = createPlatform({
    clock: systemClock,
    log: silent,
    watchedFolders: () => [],
    knownFolders: () => [],
  })
  const client = createServiceClient({
    baseUrl: server.url,
    apiKey: 'none',
    checksumHeader: 'x-amz-checksum-sha256',
    proxy: { kind: 'none' },
    clock: systemClock,
    random: Math.random,
    log: silent,
  })
  try {
    const { whole, partFiles } = await writeRecording(folder, preparedParts)
    const send = async () => {
      const file = await platform.files.open(whole)
      if (!file.ok) throw new Error(file.failure.kind)
      const identity = await file.value.identify()
      await inParallel(partFiles, async ({ start, sha256 }) => {
        const sent = await client.sendPart({
          url: server.url,
          sizeBytes: PART_BYTES,
          sha256Base64: base64(sha256),
          body: () => file.value.read({ start, length: PART_BYTES, identity }),
          onProgress: () => {},
          signal: new AbortController().signal,
        })
        if (!sent.ok) throw new Error(sent.failure.kind)
      })
      await file.value.close()
    }
    const [ours = [], reference = []] = await runInterleaved(rounds, [
      async () => megabytesPerSecond(await measureMs(send)),
      async () =>
        megabytesPerSecond(await measureMs(() => inParallel(partFiles, (part) => curl(server.url, part)))),
    ])
    return [
      {
        what: 'prepared parts, four at a time, to a server that hashes and discards',
        unit: 'MB/s',
        ours,
        reference: { name: 'four curl processes', values: reference },
        goal: { kind: 'times-the-reference', atLeast: 1 },
      },
    ]
  } finally {
    await client.close()
    await Promise.all([platform.hashing.close(), platform.largeHashing.close()])
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
