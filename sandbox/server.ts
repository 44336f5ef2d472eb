import type { Server } from 'node:http'
import { createClock } from '../server/clock.ts'
import type { RequestLog, SandboxContext } from '../server/context.ts'
import { createControlServer } from '../server/control/control-server.ts'
import { openDataFolder } from '../server/data-folder.ts'
import type { Reach } from '../server/events/reach.ts'
import { queueSessionEvent } from '../server/events/session-event.ts'
import { WebhookSender } from '../server/events/webhook-sender.ts'
import { closeServer, listen } from '../server/http-server.ts'
import { createIdMaker, type RandomBytes, systemRandom } from '../server/ids.ts'
import { defaultMinPartBytes } from '../server/part-plan.ts'
import { Processor } from '../server/processing/processor.ts'
import { PartFiles } from '../server/storage/part-files.ts'
import { createStorageServer } from '../server/storage/storage-server.ts'
import { createStore } from '../server/store/store.ts'
import { FaultEngine } from './fault-engine.ts'
import { faultHooks } from './fault-hooks.ts'
import type { Scenario } from './faults.ts'
import { ownKeys, type TestKeys } from './keys.ts'
import { createOperatorServer } from './operator-server.ts'
import { RequestStats } from './request-stats.ts'
import { seedStore } from './seed/seed-store.ts'

export type SandboxOptions = {
  /** Default: a temporary folder, removed when the sandbox closes. */
  readonly dataFolder?: string
  readonly port?: number
  readonly uploadPort?: number
  readonly urlLifetimeS?: number
  readonly processingDelayMs?: number
  readonly requestsPerMinute?: number
  readonly minPartBytes?: number
  readonly clientTimeoutMs?: number
  readonly checksumHeader?: string
  readonly md5Etags?: boolean
  readonly scenario?: Scenario
  /** Default: `nowhere`, as for the sandbox inside the app. */
  readonly webhookTargets?: Reach
  /** Opens the control endpoint for faults, clock and counters. */
  readonly control?: boolean
  readonly wallClock?: () => number
  readonly random?: RandomBytes
  readonly log?: RequestLog
}

export type Sandbox = {
  readonly baseUrl: string
  readonly uploadUrl: string
  readonly controlUrl: string | null
  readonly keys: TestKeys
  close(): Promise<void>
}

/** Throws a SandboxStartError with one sentence if it cannot start. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const folder = await openDataFolder(options.dataFolder)
  const closers: (() => Promise<void>)[] = [() => folder.close()]
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const store = createStore(folder.db)
    closers.push(async () => store.close())
    const random = options.random ?? systemRandom
    const makeId = createIdMaker(random)
    const clock = createClock(options.wallClock ?? Date.now)
    const log = options.log ?? (() => {})
    const webhookTargets = options.webhookTargets ?? 'nowhere'
    const faults = new FaultEngine()
    const stats = new RequestStats()
    const hooks = faultHooks(faults, stats)
    for (const fault of options.scenario?.faults ?? []) faults.add(fault)
    clock.setOffsetMs((options.scenario?.clock_offset_s ?? 0) * 1000)
    const files = await PartFiles.open(folder.path, random, store.parts.files())
    await seedStore({ store, files, makeId, random, now: clock.now() })
    const keys = await ownKeys(store, random)

    const sender = new WebhookSender({ store, clock, hooks, log, webhookTargets })
    const processor = new Processor({
      store,
      files,
      clock,
      log,
      onFinished: (session) => queueSessionEvent(store, makeId('evt'), session, clock.now()),
      afterFinished: () => sender.wake(),
    })
    const start = async (server: Server, port: number | undefined) => {
      const url = await listen(server, port ?? 0)
      closers.push(() => closeServer(server))
      return url
    }
    // The signer needs the address of the storage, which is known once it listens.
    const signer = {
      secret: Buffer.from(store.keys.meta('url_secret') ?? '', 'hex'),
      uploadUrl: '',
      checksumHeader: (options.checksumHeader ?? 'x-amz-checksum-sha256').toLowerCase(),
    }
    const context: SandboxContext = {
      store,
      files,
      clock,
      makeId,
      random,
      signer,
      hooks,
      log,
      webhookTargets,
      limits: {
        minPartBytes: options.minPartBytes ?? defaultMinPartBytes,
        urlLifetimeS: options.urlLifetimeS ?? 3_600,
        processingDelayMs: options.processingDelayMs ?? 500,
        requestsPerMinute: options.requestsPerMinute ?? 6_000,
        clientTimeoutMs: options.clientTimeoutMs ?? 30_000,
        md5Etags: options.md5Etags ?? false,
      },
      completing: new Set(),
      wakeProcessor: () => processor.wake(),
      deliveriesInFlight: () => sender.inFlight,
    }
    const uploadUrl = await start(createStorageServer(context), options.uploadPort)
    signer.uploadUrl = uploadUrl
    const baseUrl = await start(createControlServer(context), options.port)
    const controlUrl =
      options.control === true ? await start(createOperatorServer(context, { faults, stats }), 0) : null
    closers.push(
      () => sender.stop(),
      () => processor.stop(),
    )
    processor.wake()
    sender.wake()
    return { baseUrl, uploadUrl, controlUrl, keys, close }
  } catch (error) {
    await close()
    throw error
  }
}
