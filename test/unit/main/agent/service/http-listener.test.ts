import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openHttpListener } from '../../../../../main/agent/service/http-listener.ts'
import { waitForClose } from '../../../../support/wait-for-close.ts'

/** Longer than the system's buffer for a client that does not read. */
const LONG_ANSWER = 'a'.repeat(16 * 1024 * 1024)

test('disconnects a client that never reads the answer', async () => {
  let socketClosed: Promise<unknown> | null = null
  const result = await openHttpListener(
    { address: '127.0.0.1', port: 0 },
    (request, response) => {
      socketClosed = waitForClose(request.socket)
      response.writeHead(200, { connection: 'close' }).end(LONG_ANSWER)
    },
    { headersMs: 200, requestMs: 400, checkIntervalMs: 50 },
  )
  if (!result.ok) throw new Error(result.detail)
  const idleClient = connect(result.listener.port, '127.0.0.1').on('error', () => {})
  idleClient.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => socketClosed !== null).toBe(true)
  await socketClosed
  idleClient.destroy()
  await result.listener.close()
})
