import { parseArgs } from 'node:util'
import { startSandbox } from '../../sandbox/server.ts'
import type { FromSandbox, ToSandbox } from '../../shared/ipc/sandbox-protocol.ts'

/**
 * Entry point of the embedded sandbox. It runs in a utility process, so that neither its work nor its crash
 * affects the window.
 */
type ParentPort = {
  readonly postMessage: (message: FromSandbox) => void
  readonly on: (event: 'message', listener: (event: { readonly data: ToSandbox }) => void) => void
}

const { parentPort } = process as unknown as { readonly parentPort: ParentPort }
const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string' } } })
if (values.data === undefined) throw new Error('the sandbox process needs --data')

try {
  const { baseUrl, keys, close } = await startSandbox({
    dataFolder: values.data,
    ...(values.port === undefined ? {} : { port: Number(values.port) }),
  })
  parentPort.on('message', () => void close().finally(() => process.exit(0)))
  parentPort.postMessage({ kind: 'running', baseUrl, key: keys.write })
} catch (error) {
  // Do not exit here: the exit could overtake the message. The main process ends this process.
  parentPort.postMessage({ kind: 'cannot-run', message: (error as Error).message })
}
