import type { RequestLog } from '../server/context.ts'
import { openDataFolder } from '../server/data-folder.ts'
import type { Reach } from '../server/events/reach.ts'
import { closeServer, listen } from '../server/http-server.ts'
import { createIdMaker, type RandomBytes, systemRandom } from '../server/ids.ts'
import { refuseForeignCaller } from '../server/local-caller.ts'
import { defaultMinPartBytes } from '../server/part-plan.ts'
import { startService } from '../server/service.ts'
import type { ByteStore } from '../server/storage/byte-store.ts'
import { PartFiles } from '../server/storage/part-files.ts'
import { parts } from '../server/store/parts.ts'
import { createSqliteStore } from '../server/store/sqlite/sqlite-store.ts'
import type { Store } from '../server/store/store.ts'
import { createClock } from './clock.ts'
import { createControlEndpoint } from './control-endpoint.ts'
import { FaultEngine } from './fault-engine.ts'
import { faultHooks } from './fault-hooks.ts'
import type { Scenario } from './faults.ts'
import { loadOrCreateKeys, type SandboxKeys } from './keys.ts'
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
  /** Default: infinite. Hashing during an upload would slow down the agent under test on the same computer. */
  readonly minPrefixHashBytes?: number
  readonly scenario?: Scenario
  /** Default: `nowhere`. The app polls its embedded sandbox, and needs no webhooks. */
  readonly webhookTargets?: Reach
  /** Opens the control endpoint for faults, clock and counters. */
  readonly control?: boolean
  readonly wallClock?: () => number
  readonly random?: RandomBytes
  readonly log?: RequestLog
  /** Default: SQLite and files in the data folder. */
  readonly openBackEnd?: (dataFolder: string | undefined, random: RandomBytes) => Promise<BackEnd>
}

export type Sandbox = {
  readonly baseUrl: string
  readonly uploadUrl: string
  readonly controlUrl: string | null
  readonly keys: SandboxKeys
  close(): Promise<void>
}

export type BackEnd = { readonly store: Store; readonly bytes: ByteStore; close(): Promise<void> }

/** Throws a StartError if the data folder cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const random = options.random ?? systemRandom
  const {
    store,
    bytes,
    close: closeBackEnd,
  } = await (options.openBackEnd ?? openEmbedded)(options.dataFolder, random)
  const closers: (() => Promise<void>)[] = [closeBackEnd]
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const clock = createClock(options.wallClock ?? Date.now)
    clock.setOffsetMs((options.scenario?.clock_offset_s ?? 0) * 1000)
    const faults = new FaultEngine()
    const stats = new RequestStats()
    for (const fault of options.scenario?.faults ?? []) faults.add(fault)
    await seedStore({ store, bytes, makeId: createIdMaker(random), now: clock.now() })
    const keys = await loadOrCreateKeys(store, random, clock.now())
    const service = await startService({
      store,
      bytes,
      clock,
      random,
      hooks: faultHooks(faults, stats),
      log: options.log ?? (() => {}),
      webhookTargets: options.webhookTargets ?? 'nowhere',
      refuseCaller: refuseForeignCaller,
      checksumHeader: options.checksumHeader ?? 'x-amz-checksum-sha256',
      address: { port: options.port ?? 0, uploadPort: options.uploadPort ?? 0 },
      answerProbe: () => false,
      page: null,
      // Delete no sessions, files or audit entries: tests move the clock by years, and some count the stored files.
      cleanUp: { abandonedAfterMs: null, auditRetentionMs: null, leftoversAfterMs: null },
      limits: {
        minPartBytes: options.minPartBytes ?? defaultMinPartBytes,
        urlLifetimeS: options.urlLifetimeS ?? 3_600,
        processingDelayMs: options.processingDelayMs ?? 500,
        requestsPerMinute: options.requestsPerMinute ?? 6_000,
        clientTimeoutMs: options.clientTimeoutMs ?? 30_000,
        minPrefixHashBytes: options.minPrefixHashBytes ?? Number.POSITIVE_INFINITY,
        md5Etags: options.md5Etags ?? false,
      },
    })
    closers.push(() => service.close())
    const { baseUrl, uploadUrl } = service
    if (options.control !== true) return { baseUrl, uploadUrl, controlUrl: null, keys, close }
    const controlEndpoint = createControlEndpoint(service, { faults, stats, clock })
    const controlUrl = await listen(controlEndpoint, 0)
    closers.push(() => closeServer(controlEndpoint))
    return { baseUrl, uploadUrl, controlUrl, keys, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openEmbedded(dataFolder: string | undefined, random: RandomBytes): Promise<BackEnd> {
  const folder = await openDataFolder(dataFolder, 'sandbox')
  const store = createSqliteStore(folder.db)
  const close = async () => {
    await store.close()
    await folder.close()
  }
  try {
    const bytes = await PartFiles.open(folder.path, random, await store.write(() => parts.usage(Date.now())))
    return { store, bytes, close }
  } catch (error) {
    await close()
    throw error
  }
}
