import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { FromAgent, ToAgent } from '../../shared/ipc/agent-protocol.ts'

/**
 * Plays the agent's process for a test of whoever supervises it. It tells what it is told as a line on its output,
 * and stops answering for good once a file with the name it is given with `--data` lies beside that folder.
 */
const { values } = parseArgs({
  options: { data: { type: 'string' }, log: { type: 'string' }, locale: { type: 'string' } },
})
const { data = '' } = values
const { parentPort } = process as unknown as {
  readonly parentPort: {
    readonly postMessage: (message: FromAgent) => void
    readonly on: (event: 'message', listener: (event: { readonly data: ToAgent }) => void) => void
  }
}
const say = (what: string) => process.stdout.write(`${what}\n`)

parentPort.on('message', ({ data: message }) => {
  switch (message.kind) {
    case 'configure':
      say(`configured ${message.apiKey} in ${data}`)
      return
    case 'ping':
      parentPort.postMessage({ kind: 'pong' })
      return
    case 'shutdown':
      say(`shut down in ${data}`)
      process.exit(0)
      return
    case 'call':
    case 'reconnect':
      return
  }
})

say(`started in ${data}`)
parentPort.postMessage({ kind: 'ready' })
const look = setInterval(() => {
  if (!existsSync(`${data}.blocked`)) return
  clearInterval(look)
  say(`blocked in ${data}`)
  // The message has to leave first; then nothing leaves any more.
  setTimeout(() => {
    for (;;);
  }, 50)
}, 10)
