import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { BlockList } from 'node:net'
import { CleanUp, type CleanUpRules } from './clean-up.ts'
import { clientAddress } from './client-address.ts'
import type { ServiceClock } from './clock.ts'
import type { Limits, RequestLog, ServiceContext } from './context.ts'
import { createControlServer } from './control/control-server.ts'
import type { LabPage } from './control/lab-page.ts'
import type { Reach } from './events/reach.ts'
import { queueSessionEvent } from './events/session-event.ts'
import { WebhookSender } from './events/webhook-sender.ts'
import type { ServiceHooks } from './hooks.ts'
import { closeAfterAnswer, closeServer, drainServer, listen, type Tls } from './http-server.ts'
import { createIdMaker, type RandomBytes } from './ids.ts'
import { Metrics } from './metrics.ts'
import { type InspectFile, inspectHere } from './processing/inspect.ts'
import { Processor } from './processing/processor.ts'
import type { ByteStore } from './storage/byte-store.ts'
import type { DirectParts } from './storage/direct-parts.ts'
import { PrefixHasher } from './storage/prefix-hasher.ts'
import { createStorageServer } from './storage/storage-server.ts'
import { meta } from './store/meta.ts'
import type { Store } from './store/store.ts'

export type ServiceOptions = {
  readonly store: Store
  readonly bytes: ByteStore
  /** Default: all parts pass through the server. */
  readonly directParts?: DirectParts | null
  readonly clock: ServiceClock
  readonly random: RandomBytes
  readonly hooks: ServiceHooks
  readonly limits: Limits
  readonly log: RequestLog
  readonly webhookTargets: Reach
  /** Default: inspects in this thread. */
  readonly inspectFile?: InspectFile
  readonly refuseCaller: (request: IncomingMessage) => string | null
  readonly answerProbe: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly page: LabPage | null
  readonly checksumHeader: string
  readonly cleanUp: CleanUpRules
  readonly address: ServiceAddress
}

export type ServiceAddress = {
  /** Default: loopback. */
  readonly host?: string
  readonly port: number
  readonly uploadPort: number
  readonly tls?: Tls | null
  /** The proxies whose `Forwarded` or `X-Forwarded-For` header counts. Default: none. */
  readonly trustedProxies?: BlockList | null
  /** The address where clients upload parts, if a proxy is in front of the server. */
  readonly uploadUrl?: string
}

export type Service = {
  readonly baseUrl: string
  /** The base address of signed URLs. */
  readonly uploadUrl: string
  /** The address where this instance listens for parts. */
  readonly partsUrl: string
  readonly context: ServiceContext
  deliveriesInFlight(): number
  /**
   * From now on, each answer closes its connection, so that the client's next request can reach a different instance.
   */
  refuseKeepAlive(): void
  /**
   * Waits at most `limitMs` for running requests, then closes. Workers stop at once, because a different instance or
   * the next start continues their work.
   */
  drain(limitMs: number): Promise<void>
  close(): Promise<void>
}

/** Starts the service of the contract. The caller opens and closes `store` and `bytes`. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { store, bytes, clock, random, hooks, limits, log, webhookTargets, refuseCaller } = options
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  const { address } = options
  const servers: Server[] = []
  const start = async (server: Server, port: number) => {
    const url = await listen(server, port, address.host)
    servers.push(server)
    closers.push(() => closeServer(server))
    return url
  }
  try {
    const makeId = createIdMaker(random)
    const metrics = new Metrics()
    const secret = await store.write(() => meta.setOnce('url_secret', random(32).toString('hex')))
    const sender = new WebhookSender({ store, clock, hooks, log, webhookTargets })
    const processor = new Processor({
      store,
      bytes,
      clock,
      log,
      inspectFile: options.inspectFile ?? inspectHere,
      onFinished: (session) => queueSessionEvent(makeId('evt'), session, clock.now()),
      afterFinished: (status, hasEvent) => {
        metrics.countProcessed(status)
        if (hasEvent) sender.wake()
      },
    })
    const prefixHasher = new PrefixHasher({ store, bytes, log, metrics, minBytes: limits.minPrefixHashBytes })
    const cleanUp = new CleanUp({ store, bytes, clock, log, rules: options.cleanUp })
    // The signer needs the address of the storage server, which is known only once that server listens.
    const signer = {
      secret: Buffer.from(secret, 'hex'),
      uploadUrl: '',
      checksumHeader: options.checksumHeader.toLowerCase(),
      directParts: options.directParts ?? null,
    }
    const context: ServiceContext = {
      store,
      bytes,
      directParts: signer.directParts,
      clock,
      makeId,
      random,
      signer,
      hooks,
      log,
      webhookTargets,
      limits,
      refuseCaller,
      answerProbe: options.answerProbe,
      metrics,
      tls: address.tls ?? null,
      clientOf: (request) => clientAddress(request, address.trustedProxies ?? null),
      hashPrefix: (session) => prefixHasher.wake(session),
      wakeProcessor: () => processor.wake(),
    }
    const partsUrl = await start(createStorageServer(context), address.uploadPort)
    signer.uploadUrl = address.uploadUrl ?? partsUrl
    const baseUrl = await start(createControlServer(context, options.page), address.port)
    const workers = [cleanUp, sender, processor, prefixHasher]
    for (const worker of workers) closers.push(() => worker.stop())
    for (const worker of [cleanUp, sender, processor]) worker.wake()
    const drain = async (limitMs: number) => {
      await Promise.all([
        ...workers.map((worker) => worker.stop()),
        ...servers.map((server) => drainServer(server, limitMs)),
      ])
      await close()
    }
    const refuseKeepAlive = () => {
      for (const server of servers) closeAfterAnswer(server)
    }
    const deliveriesInFlight = () => sender.inFlightCount
    const { uploadUrl } = signer
    return { baseUrl, uploadUrl, partsUrl, context, deliveriesInFlight, refuseKeepAlive, drain, close }
  } catch (error) {
    await close()
    throw error
  }
}
