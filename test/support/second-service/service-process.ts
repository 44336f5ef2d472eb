import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type http from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAdmin } from './admin.ts'
import type { ServiceBehaviour } from './behaviour.ts'
import { ControlApi } from './control-api.ts'
import { FaultRules } from './fault-rules.ts'
import { createListener, type SessionInfo } from './listener.ts'
import { RequestLog } from './request-log.ts'
import { SessionStore } from './session-store.ts'
import { acceptPart } from './storage.ts'

/**
 * A second service, written from the contract alone, so that the agent also meets a second reading of the contract. It
 * has three listeners: one for the control API, one for the storage and one for the tests.
 */
const folder = process.argv[2] ?? ''
const faults = new FaultRules()
const behaviour: ServiceBehaviour = {
  apiKey: `svc_test_${randomBytes(16).toString('hex')}`,
  isKeyRevoked: false,
  processingMs: 300,
  slowComplete: null,
}

const store = new SessionStore(folder, behaviour)
const log = new RequestLog()

const listen = async (server: http.Server, port = 0): Promise<number> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const sessionInfoOf = (id: string | undefined, requestedName: unknown): SessionInfo => {
  const session = store.find(id ?? '')
  return {
    filename: session?.filename ?? (typeof requestedName === 'string' ? requestedName : null),
    completed: session !== null && (session.completedAt !== null || session.statusDuringCompletion !== null),
  }
}

const storage = createListener({
  on: 'storage',
  log,
  faults,
  sessionInfoOf: (route) => sessionInfoOf(route.split('/')[2], null),
  handle: async (request) => acceptPart(request, store),
})
const storagePort = await listen(storage)

const control = new ControlApi(store, behaviour, () => `http://127.0.0.1:${storagePort}`)
const controlPort = await listen(
  createListener({
    on: 'control',
    log,
    faults,
    sessionInfoOf: (route, body) => sessionInfoOf(route.split('/')[3], body.filename),
    handle: (request) => control.handle(request),
  }),
)

/** While the storage is closed, the operating system refuses connections to it. */
const setStorageOpen = async (open: boolean): Promise<void> => {
  if (open === storage.listening) return
  if (open) {
    await listen(storage, storagePort)
    return
  }
  const closing = once(storage, 'close')
  storage.close()
  storage.closeAllConnections()
  await closing
}

const adminPort = await listen(openAdmin({ store, log, faults, behaviour, setStorageOpen }))
process.stdin.resume().on('end', () => process.exit(0))
process.stdout.write(
  `${JSON.stringify({
    baseUrl: `http://127.0.0.1:${controlPort}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    apiKey: behaviour.apiKey,
  })}\n`,
)
