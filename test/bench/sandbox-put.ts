import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { startBareServer } from './bare-server-process.ts'
import { type Bench, runInterleaved } from './figure.ts'

const PART_BYTES = 64_000_000
const PARALLEL_PARTS = 4
const PARTS_PER_ROUND = 8
const content = Buffer.alloc(1 << 20, 'recording ')

/** Measures uploads of parts to the sandbox. The reference is a bare server that hashes and discards the parts. */
export const benchSandboxPut: Bench = async ({ rounds }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-sandbox-'))
  const sandbox = await SandboxProcess.start(folder)
  const bare = await startBareServer()
  const agent = new Agent({ keepAlive: true })
  try {
    const { baseUrl, keys } = sandbox
    const headers = { authorization: `Bearer ${keys.write}`, 'content-type': 'application/json' }
    const checksum = digestOfPart()
    const toBare = Array.from({ length: PARTS_PER_ROUND }, () => bare.url)
    const [ours = [], reference = []] = await runInterleaved(rounds, [
      async () => {
        const session = await createSession(baseUrl, headers)
        const megabytesPerSecond = await sendParts(agent, session.urls, checksum)
        await fetch(`${baseUrl}/v1/sessions/${session.id}`, { method: 'DELETE', headers })
        return megabytesPerSecond
      },
      () => sendParts(agent, toBare, checksum),
    ])
    return [
      {
        what: 'parts that the sandbox checks and stores',
        unit: 'MB/s',
        ours,
        reference: { name: 'a server that hashes and discards', values: reference },
        goal: { kind: 'none' },
      },
    ]
  } finally {
    agent.destroy()
    await Promise.all([sandbox.stop(), bare.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

async function createSession(baseUrl: string, headers: Record<string, string>) {
  const body = JSON.stringify({
    site: 'bench',
    filename: 'bench.bin',
    bytes: PART_BYTES * PARTS_PER_ROUND,
    sha256: '0'.repeat(64),
    part_size: PART_BYTES,
  })
  const answer = await fetch(`${baseUrl}/v1/sessions`, { method: 'POST', headers, body })
  const session = (await answer.json()) as { id: string; upload: { parts: { url: string }[] } }
  return { id: session.id, urls: session.upload.parts.map(({ url }) => url) }
}

/** Sends a part to each URL, several at a time. Returns megabytes per second. */
async function sendParts(agent: Agent, urls: readonly string[], checksum: string): Promise<number> {
  const queue = [...urls]
  const startedAt = performance.now()
  const sender = async () => {
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) await putPart(agent, url, checksum)
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, sender))
  return (urls.length * PART_BYTES) / 1_000 / (performance.now() - startedAt)
}

function* pieces() {
  for (let remainingBytes = PART_BYTES; remainingBytes > 0; remainingBytes -= content.length)
    yield content.subarray(0, remainingBytes)
}

function putPart(agent: Agent, url: string, checksum: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': PART_BYTES, 'x-amz-checksum-sha256': checksum }
    const sent = request(url, { method: 'PUT', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`The server answered a part with status ${response.statusCode}.`))
      })
    })
    sent.on('error', reject)
    const source = pieces()
    const pump = () => {
      for (let next = source.next(); !next.done; next = source.next()) {
        if (!sent.write(next.value)) return void sent.once('drain', pump)
      }
      sent.end()
    }
    pump()
  })
}

function digestOfPart(): string {
  const hash = createHash('sha256')
  for (const piece of pieces()) hash.update(piece)
  return hash.digest('base64')
}
