import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { FromAgent, ToAgent } from '../../shared/ipc/agent-protocol.ts'

/**
 * Stands in for the agent's process in tests of the supervisor, and prints each of its steps. It blocks its event loop
 * once the file `DATA.blocked` exists, where DATA is the value of `--data`.
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
const print = (line: string) => process.stdout.write(`${line}\n`)

parentPort.on('message', ({ data: message }) => {
  switch (message.kind) {
    case 'configure':
      print(`configured ${message.apiKey} in ${data}`)
      return
    case 'ping':
      parentPort.postMessage({ kind: 'pong' })
      return
    case 'shutdown':
      print(`shut down in ${data}`)
      process.exit(0)
      return
    case 'call':
    case 'reconnect':
      return
  }
})

print(`started in ${data}`)
parentPort.postMessage({ kind: 'ready' })
const checkTimer = setInterval(() => {
  if (!existsSync(`${data}.blocked`)) return
  clearInterval(checkTimer)
  print(`blocked in ${data}`)
  // Leaves time to write the line before the loop blocks the process.
  setTimeout(() => {
    for (;;);
  }, 50)
}, 10)
