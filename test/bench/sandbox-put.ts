import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { startBareServer } from './bare-server-process.ts'
import { type Bench, runInterleaved } from './figure.ts'
import { digestOfPart, PART_BYTES, sendParts } from './send-parts.ts'

const PARTS_PER_ROUND = 8

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
        const { megabytesPerSecond } = await sendParts(agent, session.urls, checksum)
        await fetch(`${baseUrl}/v1/sessions/${session.id}`, { method: 'DELETE', headers })
        return megabytesPerSecond
      },
      async () => (await sendParts(agent, toBare, checksum)).megabytesPerSecond,
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
