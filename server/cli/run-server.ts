import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { leftoversAfterMs } from '../clean-up.ts'
import { systemClock } from '../clock.ts'
import type { RequestLog } from '../context.ts'
import { noHooks } from '../hooks.ts'
import { closeServer, listen } from '../http-server.ts'
import { systemRandom } from '../ids.ts'
import { refuseForeignPage } from '../local-caller.ts'
import { isLoopback } from '../loopback.ts'
import { openLabPage } from '../page/lab-page.ts'
import { Inspector } from '../processing/inspector.ts'
import { startService } from '../service.ts'
import { StartError } from '../start-error.ts'
import { isForeignToRoot } from '../store-permissions.ts'
import { openBackEnd } from './back-end.ts'
import { operatorContext } from './operator.ts'
import { createFirstKey } from './organisations.ts'
import { createMetricsServer, Probes } from './probes.ts'
import type { Settings } from './settings.ts'

/** The build puts the page beside the program. */
const pageFolder = join(import.meta.dirname, 'lab-page')

export type RunningServer = {
  /** The content of the first line on stdout. */
  readonly line: Readonly<Record<string, string>>
  /** Waits for running requests, then ends the server. */
  end(): Promise<void>
}

export async function runServer(settings: Settings, log: RequestLog): Promise<RunningServer> {
  const backEnd = await openBackEnd(settings.backEnd)
  const closers = [() => backEnd.close()]
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const { store, bytes, directParts } = backEnd
    await directParts?.verify().catch((error: Error) => {
      throw new StartError(`direct_parts cannot be used: ${error.message}.`)
    })
    const probes = new Probes(backEnd)
    const page = await openLabPage(pageFolder)
    const { backEnd: place } = settings
    if (place.kind === 'embedded' && (await isForeignToRoot(place.folder)))
      log(
        `root corrects no permissions in ${place.folder}, because the folder belongs to a different account`,
      )
    if (page === null) log('there is no page at /, because it was not built')
    const inspector = new Inspector()
    closers.push(() => inspector.close())
    // Check callers only if no proxy is in front of the server, because only then does it know its own host name.
    const isLocalOnly = isLoopback(settings.host) && settings.uploadUrl === null
    const service = await startService({
      store,
      bytes,
      directParts,
      clock: systemClock,
      random: systemRandom,
      hooks: noHooks,
      log,
      inspectFile: inspector.inspect,
      webhookTargets: settings.privateWebhooks ? 'anywhere' : 'internet',
      refuseCaller: isLocalOnly ? refuseForeignPage : () => null,
      answerProbe: (request, response) => probes.answer(request, response),
      page,
      checksumHeader: 'x-amz-checksum-sha256',
      cleanUp: {
        abandonedAfterMs: settings.abandonedAfterMs,
        auditRetentionMs: settings.auditRetentionMs,
        leftoversAfterMs,
      },
      limits: {
        minPartBytes: settings.minPartBytes,
        urlLifetimeS: settings.urlLifetimeS,
        processingDelayMs: 0,
        requestsPerMinute: settings.requestsPerMinute,
        clientTimeoutMs: settings.clientTimeoutMs,
        minPrefixHashBytes: 64_000_000,
        md5Etags: false,
      },
      address: {
        host: settings.host,
        port: settings.port,
        uploadPort: settings.uploadPort,
        tls: settings.tls,
        trustedProxies: settings.trustedProxies,
        ...(settings.uploadUrl === null ? {} : { uploadUrl: settings.uploadUrl }),
      },
    })
    closers.push(() => service.close())
    let metricsUrl: string | null = null
    if (settings.metricsPort !== null) {
      const metrics = createMetricsServer(service)
      metricsUrl = `${await listen(metrics, settings.metricsPort)}/metrics`
      closers.push(() => closeServer(metrics))
    }
    // Create the key last: the server prints it only once, so no later step may fail.
    const key = place.kind === 'embedded' ? await createFirstKey(operatorContext(store)) : null
    return {
      line: {
        base_url: service.baseUrl,
        upload_url: service.uploadUrl,
        parts_url: service.partsUrl,
        ...(metricsUrl === null ? {} : { metrics_url: metricsUrl }),
        ...(key === null ? {} : { key }),
      },
      async end() {
        probes.drain()
        service.refuseKeepAlive()
        await delay(settings.drainDelayMs)
        await service.drain(settings.drainMs)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
