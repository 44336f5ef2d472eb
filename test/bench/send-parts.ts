import { createHash } from 'node:crypto'
import { type Agent, request } from 'node:http'

export const PART_BYTES = 64_000_000
const PARALLEL_PARTS = 4
const content = Buffer.alloc(1 << 20, 'recording ')

/** Sends the same part to each URL, several at a time. */
export async function sendParts(
  agent: Agent,
  urls: readonly string[],
  checksum: string,
): Promise<{ readonly megabytesPerSecond: number; readonly etags: readonly string[] }> {
  const queue = [...urls.entries()]
  const etags: string[] = []
  const startedAt = performance.now()
  const sender = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      etags[next[0]] = await putPart(agent, next[1], checksum)
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, sender))
  return { megabytesPerSecond: (urls.length * PART_BYTES) / 1_000 / (performance.now() - startedAt), etags }
}

/** The content of a part. */
export function* pieces() {
  for (let remainingBytes = PART_BYTES; remainingBytes > 0; remainingBytes -= content.length)
    yield content.subarray(0, remainingBytes)
}

function putPart(agent: Agent, url: string, checksum: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': PART_BYTES, 'x-amz-checksum-sha256': checksum }
    const sent = request(url, { method: 'PUT', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(response.headers.etag ?? '')
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

export function digestOfPart(): string {
  const hash = createHash('sha256')
  for (const piece of pieces()) hash.update(piece)
  return hash.digest('base64')
}
