import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openHttpListener } from '../../../../../main/agent/service/http-listener.ts'
import { waitForClose } from '../../../../support/wait-for-close.ts'

/** More than the system buffers for a client that does not read. */
const LONG_ANSWER = 'a'.repeat(16 * 1024 * 1024)

test('disconnects a client that never reads the answer', async () => {
  let ended: Promise<unknown> | null = null
  const opened = await openHttpListener(
    { address: '127.0.0.1', port: 0 },
    (request, response) => {
      ended = waitForClose(request.socket)
      response.writeHead(200, { connection: 'close' }).end(LONG_ANSWER)
    },
    { headersMs: 200, requestMs: 400, checkIntervalMs: 50 },
  )
  if (!opened.ok) throw new Error(opened.detail)
  const idleClient = connect(opened.listener.port, '127.0.0.1').on('error', () => {})
  idleClient.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => ended !== null).toBe(true)
  await ended
  idleClient.destroy()
  await opened.listener.close()
})
