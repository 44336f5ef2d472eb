import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { launchServer, type ServerProcess } from '../support/server-process.ts'
import { type Bench, measureMs, runInterleaved } from './figure.ts'

const partBytes = 64_000_000
const pollMs = 20
/** The server stores zeros as holes, which take no disk space. */
const part = Buffer.alloc(partBytes)

/**
 * Measures how long the server needs to complete a recording. The reference reads and hashes the same number of stored
 * parts.
 */
export const benchCompletion: Bench = async ({ rounds, completedBytes }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-completion-'))
  const server = await launchServer(['--data', folder])
  try {
    const parts = Math.floor(completedBytes / partBytes)
    const [hashed = [], atOnce = [], reference = []] = await runInterleaved(rounds, [
      () => completeRecording(server, parts, waitUntilHashed),
      () => completeRecording(server, parts, async () => {}),
      () => measureMs(() => hashStoredParts(path.join(folder, 'parts'), parts)),
    ])
    const size = `${(parts * partBytes) / 1_000_000} MB`
    const figure = {
      unit: 'ms',
      reference: { name: 'reading and hashing all parts', values: reference },
      goal: { kind: 'times-the-reference', atMost: 0.5 },
    } as const
    return [
      {
        what: `completion of a recording of ${size} that was hashed while it arrived`,
        ours: hashed,
        ...figure,
      },
      { what: `completion of a recording of ${size} right after its last part`, ours: atOnce, ...figure },
    ]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Uploads a recording, waits for `ready`, and returns how many milliseconds the completion takes. */
async function completeRecording(
  server: ServerProcess,
  parts: number,
  ready: (server: ServerProcess, bytes: number) => Promise<void>,
): Promise<number> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const post = async (url: string, body: unknown) => {
    const answer = await fetch(`${server.baseUrl}${url}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`The server answered ${url} with status ${answer.status}.`)
    return (await answer.json()) as { id: string; upload: { parts: { url: string }[] } }
  }
  const hashedBefore = await hashedInAdvance(server)
  const session = await post('/v1/sessions', {
    site: 'bench',
    filename: 'bench.bin',
    bytes: parts * partBytes,
    sha256: digestOfParts(parts).digest('hex'),
    part_size: partBytes,
  })
  const checksum = digestOfParts(1).digest('base64')
  const etags: { number: number; etag: string | null }[] = []
  for (const [index, { url }] of session.upload.parts.entries()) {
    const stored = await fetch(url, {
      method: 'PUT',
      headers: { 'x-amz-checksum-sha256': checksum },
      body: part,
    })
    etags.push({ number: index + 1, etag: stored.headers.get('etag') })
  }
  await ready(server, hashedBefore + parts * partBytes)
  return measureMs(() => post(`/v1/sessions/${session.id}/complete`, { parts: etags }))
}

async function waitUntilHashed(server: ServerProcess, bytes: number): Promise<void> {
  while ((await hashedInAdvance(server)) < bytes) await delay(pollMs)
}

async function hashedInAdvance({ metricsUrl }: ServerProcess): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^sluice_server_prefix_bytes_total (\d+)$/m.exec(text)?.[1] ?? 0)
}

async function hashStoredParts(folder: string, count: number): Promise<void> {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).slice(0, count)) {
    for await (const chunk of createReadStream(path.join(folder, name), { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer)
  }
  hash.digest()
}

function digestOfParts(count: number) {
  const hash = createHash('sha256')
  for (let n = 0; n < count; n += 1) hash.update(part)
  return hash
}
