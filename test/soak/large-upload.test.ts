import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { launch } from '../contract/sandbox-process.ts'
import { Service } from '../contract/service.ts'

const PART_BYTES = 512_000_000
const TOTAL_BYTES = 4_000_000_000
const PARALLEL_PARTS = 2

/** A megabyte of content that differs for each part. */
function makeBlock(part: number): Buffer {
  return Buffer.alloc(1 << 20, `part ${part} `)
}

function piecesOf(part: number): Iterable<Buffer> {
  const content = makeBlock(part)
  let remainingBytes = Math.min(PART_BYTES, TOTAL_BYTES - (part - 1) * PART_BYTES)
  return {
    *[Symbol.iterator]() {
      for (; remainingBytes > 0; remainingBytes -= content.length)
        yield content.subarray(0, Math.min(remainingBytes, content.length))
    },
  }
}

function computeDigests() {
  const whole = createHash('sha256')
  const parts: string[] = []
  for (let part = 1; part <= Math.ceil(TOTAL_BYTES / PART_BYTES); part += 1) {
    const partHash = createHash('sha256')
    for (const piece of piecesOf(part)) {
      whole.update(piece)
      partHash.update(piece)
    }
    parts.push(partHash.digest('base64'))
  }
  return { whole: whole.digest('hex'), parts }
}

function putPart(url: string, part: number, checksum: string): Promise<string> {
  const bytes = Math.min(PART_BYTES, TOTAL_BYTES - (part - 1) * PART_BYTES)
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': bytes, 'x-amz-checksum-sha256': checksum }
    const outgoing = request(url, { method: 'PUT', headers }, (response) => {
      response.resume().on('end', () => resolve(response.headers.etag ?? `status ${response.statusCode}`))
    })
    outgoing.on('error', reject)
    const source = piecesOf(part)[Symbol.iterator]()
    const pump = () => {
      for (let next = source.next(); !next.done; next = source.next()) {
        if (!outgoing.write(next.value)) return void outgoing.once('drain', pump)
      }
      outgoing.end()
    }
    pump()
  })
}

test('an upload of 4 GB arrives complete, and the sandbox needs less than 200 MB of memory', async () => {
  const sandbox = await launch('--processing-delay', '0')
  onTestFinished(() => void sandbox.stop())
  const service = new Service(sandbox)
  const { whole, parts } = computeDigests()
  const body = { site: 'soak', filename: 'big.bin', bytes: TOTAL_BYTES, sha256: whole, part_size: PART_BYTES }
  const { id, upload } = (await service.call('POST', '/v1/sessions', { body })).json() as unknown as {
    id: string
    upload: { parts: { number: number; url: string }[] }
  }
  const etags = new Map<number, string>()
  const queue = [...upload.parts]
  const sendParts = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      etags.set(next.number, await putPart(next.url, next.number, parts[next.number - 1]!))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, sendParts))
  const answer = await service.complete(id, etags)
  expect(answer.status, answer.text).toBe(200)
  expect((await service.waitUntilProcessed(id)).status).toBe('processed')
  expect(sandbox.peakMemoryBytes()).toBeLessThan(200e6)
})
