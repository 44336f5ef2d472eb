import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../../../server/ids.ts'
import type { ReceiveResult } from '../../../../server/storage/byte-store.ts'
import { S3Bytes } from '../../../../server/storage/s3-bytes.ts'

const partBytes = 64 << 20
const part = Buffer.alloc(partBytes, 'recording ')
const sha256 = createHash('sha256').update(part).digest()

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A door that streams each body into `storage`, and counts the bytes that it has read. */
const openDoor = async (storage: RequestListener, expectedSha256 = sha256) => {
  const location = {
    bucket: 'recordings',
    prefix: '',
    region: 'us-east-1',
    endpoint: await listen(storage),
    credentials: { accessKeyId: 'lab', secretAccessKey: 'secret' },
  }
  const bytes = new S3Bytes(location, systemRandom)
  onTestFinished(() => bytes.close())
  const door = { readBytes: 0, url: '', result: Promise.resolve(null as ReceiveResult | Error | null) }
  let settle: (result: ReceiveResult | Error) => void = () => {}
  door.result = new Promise((resolve) => {
    settle = resolve
  })
  const expected = { bytes: partBytes, sha256: expectedSha256, wantsMd5: false }
  door.url = await listen((body: IncomingMessage, response) => {
    const { push } = body
    // Counts what the socket delivers, without a listener that would make the stream flow.
    body.push = (chunk: Buffer | null, ...rest) => {
      door.readBytes += chunk?.length ?? 0
      return push.call(body, chunk, ...rest)
    }
    bytes.receive('ses_1-1-a', body, expected).then(settle, settle)
    void door.result.then(() => response.end())
  })
  return door
}

const send = (url: string, body = part) => {
  const put = request(url, { method: 'PUT', headers: { 'content-length': partBytes } })
  put.on('error', () => {})
  // After an answer to an incomplete request, Node no longer listens for errors of the socket.
  put.on('socket', (socket) => socket.on('error', () => {}))
  put.on('response', (response) => response.resume())
  put.end(body)
  return put
}

test('reads a part no faster than a slow storage takes it', async () => {
  let storedBytes = 0
  let largestGap = 0
  const storage: RequestListener = async (body, response) => {
    for await (const chunk of body) {
      storedBytes += (chunk as Buffer).length
      largestGap = Math.max(largestGap, door.readBytes - storedBytes)
      await delay(1)
    }
    response.writeHead(200, { ETag: '"x"' }).end()
  }
  const door = await openDoor(storage)
  send(door.url)
  expect(await door.result).toEqual({ kind: 'stored', md5: null })
  expect([door.readBytes, storedBytes]).toEqual([partBytes, partBytes])
  // The rest of the gap is in the buffers of the kernel.
  expect(largestGap).toBeLessThan(partBytes / 4)
})

test('never completes an object with a wrong SHA-256', async () => {
  let isComplete = false
  const storage: RequestListener = (body, response) => {
    body.on('error', () => {})
    body.resume().on('end', () => {
      isComplete = true
      response.writeHead(200, { ETag: '"x"' }).end()
    })
  }
  const door = await openDoor(storage, Buffer.alloc(32))
  send(door.url)
  expect([await door.result, isComplete]).toEqual([{ kind: 'bad-digest' }, false])
})

test('stores nothing if the client disconnects', async () => {
  let endedAs = ''
  const storage: RequestListener = (body) => {
    body.on('error', () => {})
    body.resume().on('close', () => {
      endedAs = body.complete ? 'complete' : 'incomplete'
    })
  }
  const door = await openDoor(storage)
  const put = request(door.url, { method: 'PUT', headers: { 'content-length': partBytes } })
  put.on('error', () => {})
  put.write(part.subarray(0, 4 << 20))
  await expect.poll(() => door.readBytes).toBe(4 << 20)
  put.destroy()
  expect(await door.result).toEqual({ kind: 'aborted' })
  await expect.poll(() => endedAs).toBe('incomplete')
})

test('reports a refusal of the storage, and reads the rest of the part', async () => {
  const storage: RequestListener = (body, response) => {
    body.resume()
    response.writeHead(507).end()
  }
  const door = await openDoor(storage)
  send(door.url)
  expect(await door.result).toBeInstanceOf(Error)
})
