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

/** Starts a server that streams each part into `storage`. `readBytes` counts what this server has read. */
const startPartServer = async (storage: RequestListener, expectedSha256 = sha256) => {
  const location = {
    bucket: 'recordings',
    prefix: '',
    region: 'us-east-1',
    endpoint: await listen(storage),
    credentials: { accessKeyId: 'lab', secretAccessKey: 'secret' },
  }
  const bytes = new S3Bytes(location, systemRandom)
  onTestFinished(() => bytes.close())
  const partServer = { readBytes: 0, url: '', result: Promise.resolve(null as ReceiveResult | Error | null) }
  let settle: (result: ReceiveResult | Error) => void = () => {}
  partServer.result = new Promise((resolve) => {
    settle = resolve
  })
  const expected = { bytes: partBytes, sha256: expectedSha256, wantsMd5: false }
  partServer.url = await listen((body: IncomingMessage, response) => {
    const { push } = body
    // A `data` listener would start the stream.
    body.push = (chunk: Buffer | null, ...rest) => {
      partServer.readBytes += chunk?.length ?? 0
      return push.call(body, chunk, ...rest)
    }
    bytes.receive('ses_1-1-a', body, expected).then(settle, settle)
    void partServer.result.then(() => response.end())
  })
  return partServer
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

test('reads a part no faster than a slow storage accepts it', async () => {
  let storedBytes = 0
  let largestGap = 0
  const storage: RequestListener = async (body, response) => {
    for await (const chunk of body) {
      storedBytes += (chunk as Buffer).length
      largestGap = Math.max(largestGap, partServer.readBytes - storedBytes)
      await delay(1)
    }
    response.writeHead(200, { ETag: '"x"' }).end()
  }
  const partServer = await startPartServer(storage)
  send(partServer.url)
  expect(await partServer.result).toEqual({ kind: 'stored', md5: null })
  expect([partServer.readBytes, storedBytes]).toEqual([partBytes, partBytes])
  // The gap is never 0, because the buffers of the kernel also hold bytes.
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
  const partServer = await startPartServer(storage, Buffer.alloc(32))
  send(partServer.url)
  expect([await partServer.result, isComplete]).toEqual([{ kind: 'bad-digest' }, false])
})

test('stores nothing if the client disconnects', async () => {
  let endedAs = ''
  const storage: RequestListener = (body) => {
    body.on('error', () => {})
    body.resume().on('close', () => {
      endedAs = body.complete ? 'complete' : 'incomplete'
    })
  }
  const partServer = await startPartServer(storage)
  const put = request(partServer.url, { method: 'PUT', headers: { 'content-length': partBytes } })
  put.on('error', () => {})
  put.write(part.subarray(0, 4 << 20))
  await expect.poll(() => partServer.readBytes).toBe(4 << 20)
  put.destroy()
  expect(await partServer.result).toEqual({ kind: 'aborted' })
  await expect.poll(() => endedAs).toBe('incomplete')
})

test('reports a refusal of the storage as an error', async () => {
  const storage: RequestListener = (body, response) => {
    body.resume()
    response.writeHead(507).end()
  }
  const partServer = await startPartServer(storage)
  send(partServer.url)
  expect(await partServer.result).toBeInstanceOf(Error)
})
