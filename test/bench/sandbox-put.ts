import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Comparison } from './comparison.ts'

const partBytes = 64_000_000
const atOnce = 4
const partsPerRound = 8
const rounds = 7
const content = Buffer.alloc(1 << 20, 'recording ')

/**
 * Part uploads to the sandbox against a bare server that hashes and discards, in turns so that both see the
 * same computer; the round whose ratio is the median.
 */
export async function benchSandboxPut(): Promise<Comparison> {
  const sandbox = await run('../../sandbox/cli.ts')
  const bare = await run('./bare-server.ts')
  const agent = new Agent({ keepAlive: true })
  try {
    const { base_url: baseUrl, keys } = JSON.parse(sandbox.line)
    const checksum = digestOfPart()
    const pairs: { ours: number; reference: number; ratio: number }[] = []
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      const reference = await rate(
        agent,
        Array.from({ length: partsPerRound }, () => bare.line),
        checksum,
      )
      const headers = { authorization: `Bearer ${keys.write}`, 'content-type': 'application/json' }
      const session = await createSession(baseUrl, headers)
      const ours = await rate(agent, session.urls, checksum)
      await fetch(`${baseUrl}/v1/sessions/${session.id}`, { method: 'DELETE', headers })
      if (round > 0) pairs.push({ ours, reference, ratio: ours / reference })
    }
    const middle = pairs.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(pairs.length / 2)]!
    return { name: 'sandbox, vs a server that discards', ...middle, unit: 'MB/s' }
  } finally {
    agent.destroy()
    await Promise.all([sandbox.stop(), bare.stop()])
  }
}

async function run(file: string) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    line,
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function createSession(baseUrl: string, headers: Record<string, string>) {
  const body = JSON.stringify({
    site: 'bench',
    filename: 'bench.bin',
    bytes: partBytes * partsPerRound,
    sha256: '0'.repeat(64),
    part_size: partBytes,
  })
  const answer = await fetch(`${baseUrl}/v1/sessions`, { method: 'POST', headers, body })
  const session = (await answer.json()) as { id: string; upload: { parts: { url: string }[] } }
  return { id: session.id, urls: session.upload.parts.map(({ url }) => url) }
}

/** Megabytes a second over all the given addresses, a few at once. */
async function rate(agent: Agent, urls: readonly string[], checksum: string): Promise<number> {
  const queue = [...urls]
  const startedAt = performance.now()
  const sender = async () => {
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) await put(agent, url, checksum)
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return (urls.length * partBytes) / 1_000 / (performance.now() - startedAt)
}

function* pieces() {
  for (let left = partBytes; left > 0; left -= content.length) yield content.subarray(0, left)
}

function put(agent: Agent, url: string, checksum: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': partBytes, 'x-amz-checksum-sha256': checksum }
    const sent = request(url, { method: 'PUT', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`A part was answered ${response.statusCode}.`))
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await benchSandboxPut())}\n`)
}
