import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { systemClock } from '../../main/agent/platform/system-clock.ts'
import { createServiceClient } from '../../main/agent/service/client.ts'
import type { CreatedSession } from '../../shared/control-api.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { type Comparison, median, timedMs } from './comparison.ts'

/**
 * The parts of a 1 GiB recording to the sandbox, four at a time: our sender, which reads the file, hashes it
 * again and streams it, against four `curl` that send the same parts from files cut beforehand.
 */

const PART_BYTES = 64 * 1024 * 1024
const PARTS = 16
const AT_ONCE = 4
const ROUNDS = 5

type Cut = { readonly file: string; readonly start: number; readonly sha256: string }

const silent = { info: () => {}, warn: () => {}, error: () => {} }
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

/** Works through the list with a fixed number of hands. */
const inParallel = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items]
  const hand = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, hand))
}

const curl = async (file: string, url: string, sha256: string): Promise<void> => {
  const args = [
    '-sS',
    '--fail',
    '-o',
    '/dev/null',
    '-H',
    `x-amz-checksum-sha256: ${base64(sha256)}`,
    '-T',
    file,
    url,
  ]
  const child = spawn('curl', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`curl ended with ${code}`)
}

const writeRecording = async (folder: string) => {
  const whole = path.join(folder, 'recording.bin')
  const handle = await open(whole, 'w')
  const digest = createHash('sha256')
  const cuts: Cut[] = []
  for (let index = 0; index < PARTS; index += 1) {
    const bytes = Buffer.alloc(PART_BYTES, `part ${index} of the recording `)
    digest.update(bytes)
    await handle.write(bytes)
    const file = path.join(folder, `part-${index + 1}`)
    await writeFile(file, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    cuts.push({ file, start: index * PART_BYTES, sha256 })
  }
  await handle.close()
  return { whole, cuts, sha256: digest.digest('hex') }
}

export const benchUpload = async (): Promise<Comparison> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-upload-'))
  const sandbox = await SandboxProcess.start(path.join(folder, 'service'))
  const platform = createPlatform({
    clock: systemClock,
    log: silent,
    watchedFolders: () => [],
    knownFolders: () => [],
  })
  const client = createServiceClient({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.keys.write,
    checksumHeader: 'x-amz-checksum-sha256',
    proxy: { kind: 'none' },
    clock: systemClock,
    random: Math.random,
    log: silent,
  })
  try {
    const { whole, cuts, sha256 } = await writeRecording(folder)
    const urlsOfNewSession = async () => {
      const answer = await sandbox.api('/v1/sessions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          site: 'bench',
          filename: 'recording.bin',
          bytes: PART_BYTES * PARTS,
          sha256,
          part_size: PART_BYTES,
        }),
      })
      const session = (await answer.json()) as CreatedSession
      return {
        parts: cuts.map((cut, index) => ({ ...cut, url: session.upload.parts[index]!.url })),
        discard: () => sandbox.api(`/v1/sessions/${session.id}`, { method: 'DELETE' }),
      }
    }
    const oursMs: number[] = []
    const referenceMs: number[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const forUs = await urlsOfNewSession()
      const ours = await timedMs(async () => {
        const file = await platform.files.open(whole)
        if (!file.ok) throw new Error(file.failure.kind)
        const identity = await file.value.identify()
        await inParallel(forUs.parts, async (part) => {
          const sent = await client.sendPart({
            url: part.url,
            sizeBytes: PART_BYTES,
            sha256Base64: base64(part.sha256),
            body: () => file.value.read({ start: part.start, length: PART_BYTES, identity }),
            onProgress: () => {},
            signal: new AbortController().signal,
          })
          if (!sent.ok) throw new Error(sent.failure.kind)
        })
        await file.value.close()
      })
      await forUs.discard()
      const forCurl = await urlsOfNewSession()
      const reference = await timedMs(() =>
        inParallel(forCurl.parts, (part) => curl(part.file, part.url, part.sha256)),
      )
      await forCurl.discard()
      // The first round warms caches and connections.
      if (round === 0) continue
      oursMs.push(ours)
      referenceMs.push(reference)
    }
    const rate = (ms: number) => (PART_BYTES * PARTS) / 1_000_000 / (ms / 1000)
    const ours = rate(median(oursMs))
    const reference = rate(median(referenceMs))
    return {
      name: 'upload, 4 parts at a time, vs curl',
      ours,
      reference,
      ratio: ours / reference,
      unit: 'MB/s',
    }
  } finally {
    await client.close()
    await Promise.all([platform.hashing.close(), platform.largeHashing.close()])
    await sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
