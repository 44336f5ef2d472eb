import { parseArgs } from 'node:util'
import { startSandbox } from '../../sandbox/server.ts'
import type { FromSandbox, ToSandbox } from '../../shared/ipc/sandbox-protocol.ts'

/** Entry in a utility process: the service of the try-out, where neither its work nor its crash is the window's. */
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
  // It does not end by itself: an exit could overtake the message. Whoever started it ends it.
  parentPort.postMessage({ kind: 'cannot-run', message: (error as Error).message })
}
