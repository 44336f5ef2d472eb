import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CreatedSession } from '../../shared/control-api.ts'
import { Station } from '../support/station.ts'
import type { Comparison } from './comparison.ts'

/**
 * 3,000 files of 2 kB from the folder to `processed`, against the bare requests of the contract for the same files by a
 * client that keeps nothing: no journal, no settling, four at a time, no following. Both to the sandbox, which syncs
 * what it acknowledges. The requests of ours are counted there.
 */

const FILES = 3_000
const BYTES = 2_048
const AT_ONCE = 4

const json = (value: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

const sendBare = async (station: Station, file: string): Promise<void> => {
  const bytes = readFileSync(file)
  const digest = createHash('sha256').update(bytes)
  const sha256 = digest.copy().digest('hex')
  const asked = { site: 'bare', filename: path.basename(file), bytes: bytes.length, sha256 }
  const created = (await (await station.sandbox.api('/v1/sessions', json(asked))).json()) as CreatedSession
  const [part] = created.upload.parts
  if (part === undefined) throw new Error('a session without a part')
  const sent = await fetch(part.url, {
    method: 'PUT',
    headers: { 'x-amz-checksum-sha256': digest.digest('base64') },
    body: bytes,
  })
  const parts = [{ number: 1, etag: sent.headers.get('etag') }]
  const complete = await station.sandbox.api(`/v1/sessions/${created.id}/complete`, json({ parts }))
  if (!complete.ok) throw new Error(`completion: HTTP ${complete.status}`)
  await complete.arrayBuffer()
}

const files = (station: Station) =>
  readdirSync(station.recordings).map((name) => path.join(station.recordings, name))

const bareSeconds = async (station: Station): Promise<number> => {
  const queue = files(station)
  const startedAt = performance.now()
  const hand = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) await sendBare(station, file)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, hand))
  return (performance.now() - startedAt) / 1000
}

export const benchSmallRecordings = async (): Promise<readonly Comparison[]> => {
  const station = await Station.open(['--rate-limit', '1000000'])
  try {
    for (let n = 0; n < FILES; n += 1)
      writeFileSync(path.join(station.recordings, `take-${n}.bin`), randomBytes(BYTES))
    station.configure({ rest: { follow: { poll_seconds: 15 } } })
    const startedAt = performance.now()
    const code = await station.runToIdle()
    if (code !== 0) throw new Error(`the agent ended with ${code}`)
    const oursS = (performance.now() - startedAt) / 1000
    const { routes } = await station.stats()
    const requests = Object.values(routes).reduce((sum, count) => sum + count, 0)
    const bareS = await bareSeconds(station)
    return [
      {
        name: '3,000 files of 2 kB, vs bare requests',
        ours: FILES / oursS,
        reference: FILES / bareS,
        ratio: bareS / oursS,
        unit: '/s',
      },
      {
        name: 'requests per recording, reach 4.2',
        ours: requests / FILES,
        reference: 4.2,
        ratio: requests / FILES / 4.2,
        unit: '',
      },
    ]
  } finally {
    await station.close()
  }
}
