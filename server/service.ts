import type { IncomingMessage, Server } from 'node:http'
import type { ServiceClock } from './clock.ts'
import type { Limits, RequestLog, ServiceContext } from './context.ts'
import { createControlServer } from './control/control-server.ts'
import type { Reach } from './events/reach.ts'
import { queueSessionEvent } from './events/session-event.ts'
import { WebhookSender } from './events/webhook-sender.ts'
import type { ServiceHooks } from './hooks.ts'
import { closeServer, listen } from './http-server.ts'
import { createIdMaker, type RandomBytes } from './ids.ts'
import { Processor } from './processing/processor.ts'
import type { Bytes } from './storage/bytes.ts'
import { createStorageServer } from './storage/storage-server.ts'
import { meta } from './store/meta.ts'
import type { Store } from './store/store.ts'

export type ServiceParts = {
  readonly store: Store
  readonly bytes: Bytes
  readonly clock: ServiceClock
  readonly random: RandomBytes
  readonly hooks: ServiceHooks
  readonly limits: Limits
  readonly log: RequestLog
  readonly webhookTargets: Reach
  readonly refuseCaller: (request: IncomingMessage) => string | null
  readonly checksumHeader: string
  readonly port: number
  readonly uploadPort: number
}

export type Service = {
  readonly baseUrl: string
  readonly uploadUrl: string
  readonly context: ServiceContext
  deliveriesInFlight(): number
  close(): Promise<void>
}

/** Starts the service of the contract on a store and bytes. Who gives them closes them. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { store, bytes, clock, random, hooks, limits, log, webhookTargets, refuseCaller } = parts
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  const start = async (server: Server, port: number) => {
    const url = await listen(server, port)
    closers.push(() => closeServer(server))
    return url
  }
  try {
    const makeId = createIdMaker(random)
    const secret = await store.write(() => meta.setOnce('url_secret', random(32).toString('hex')))
    const sender = new WebhookSender({ store, clock, hooks, log, webhookTargets })
    const processor = new Processor({
      store,
      bytes,
      clock,
      log,
      onFinished: (session) => queueSessionEvent(makeId('evt'), session, clock.now()),
      afterFinished: () => sender.wake(),
    })
    // The signer needs the address of the storage, which is known once it listens.
    const signer = {
      secret: Buffer.from(secret, 'hex'),
      uploadUrl: '',
      checksumHeader: parts.checksumHeader.toLowerCase(),
    }
    const context: ServiceContext = {
      store,
      bytes,
      clock,
      makeId,
      random,
      signer,
      hooks,
      log,
      webhookTargets,
      limits,
      refuseCaller,
      wakeProcessor: () => processor.wake(),
    }
    const uploadUrl = await start(createStorageServer(context), parts.uploadPort)
    signer.uploadUrl = uploadUrl
    const baseUrl = await start(createControlServer(context), parts.port)
    closers.push(
      () => sender.stop(),
      () => processor.stop(),
    )
    processor.wake()
    sender.wake()
    return { baseUrl, uploadUrl, context, deliveriesInFlight: () => sender.inFlight, close }
  } catch (error) {
    await close()
    throw error
  }
}
