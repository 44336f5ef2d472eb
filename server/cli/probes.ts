import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createBoundedServer } from '../http-server.ts'
import { refuseForeignCaller } from '../local-caller.ts'
import type { Service } from '../service.ts'
import { orgs } from '../store/orgs.ts'
import { webhooks } from '../store/webhooks.ts'
import type { BackEnd } from './back-end.ts'

const probeTimeoutMs = 5_000
/** The content type of Prometheus, by which the command `check` recognises a running server. */
export const probeContentType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * `/healthz` always succeeds. `/readyz` succeeds only if the server reaches its database and bytes, and is not
 * stopping.
 */
export class Probes {
  readonly #backEnd: BackEnd
  #isDraining = false

  constructor(backEnd: BackEnd) {
    this.#backEnd = backEnd
  }

  /** After this call, `/readyz` fails, so a load balancer sends no new requests. */
  drain(): void {
    this.#isDraining = true
  }

  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET') return false
    if (request.url === '/healthz') send(response, 200, 'ok')
    else if (request.url === '/readyz')
      void this.#problem().then((problem) => send(response, problem === null ? 200 : 503, problem ?? 'ready'))
    else return false
    return true
  }

  /** Returns why the server is not ready, or null. The text has no details, because anyone can send this request. */
  async #problem(): Promise<string | null> {
    if (this.#isDraining) return 'stopping'
    const { store } = this.#backEnd
    if (!(await succeedsInTime(store.read(orgs.get(''))))) return 'database not reachable'
    return (await succeedsInTime(this.#backEnd.checkBytes())) ? null : 'bytes not reachable'
  }
}

async function succeedsInTime(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), probeTimeoutMs)
  })
  const success = work.then(
    () => true,
    () => false,
  )
  return Promise.race([success, timeout]).finally(() => clearTimeout(timer))
}

/** Serves the metrics of all organisations, so it answers only programs on this computer. */
export function createMetricsServer({ context, deliveriesInFlight }: Service): Server {
  const { metrics, store, limits } = context
  const timeouts = { headMs: limits.clientTimeoutMs, requestMs: limits.clientTimeoutMs }
  return createBoundedServer(timeouts, (request, response) => {
    const refusalReason = refuseForeignCaller(request)
    if (refusalReason !== null) return send(response, 403, refusalReason)
    if (request.url !== '/metrics') return send(response, 404, 'only /metrics')
    const page = store.read(webhooks.queue()).then(({ pending }) =>
      metrics.text({
        sluice_server_deliveries_pending: { help: 'Webhook deliveries in the queue.', value: pending },
        sluice_server_deliveries_in_flight: {
          help: 'Webhook deliveries that this instance has started and that have no answer yet.',
          value: deliveriesInFlight(),
        },
      }),
    )
    page.then(
      (text) => send(response, 200, text),
      () => send(response, 503, 'database not reachable'),
    )
  })
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': probeContentType,
    'Cache-Control': 'no-store',
  })
  response.end(text)
}
