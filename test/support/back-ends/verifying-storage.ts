import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

export type VerifyingStorage = { readonly endpoint: string; close(): Promise<void> }

/**
 * A proxy for an S3 storage that does not check the unsigned header `x-amz-checksum-sha256`. The proxy checks this
 * header, and keeps the `Host` header, because the storage verifies signatures.
 */
export const startVerifyingStorage = async (storageEndpoint: string): Promise<VerifyingStorage> => {
  const { port } = new URL(storageEndpoint)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const checksum = request.headers['x-amz-checksum-sha256']
    if (checksum !== undefined && checksum !== createHash('sha256').update(body).digest('base64')) {
      response.writeHead(400, { 'content-type': 'application/xml' })
      return void response.end('<Error><Code>BadDigest</Code></Error>')
    }
    const { method, url, headers } = request
    const upstream = forward({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    upstream.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
