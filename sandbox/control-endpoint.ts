import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { z } from 'zod'
import { isoTime } from '../server/clock.ts'
import { readJsonBody } from '../server/control/json-body.ts'
import { createBoundedServer } from '../server/http-server.ts'
import { refuseForeignCaller } from '../server/local-caller.ts'
import type { Service } from '../server/service.ts'
import { hashRecording } from '../server/storage/hash-recording.ts'
import { meta } from '../server/store/meta.ts'
import { parts } from '../server/store/parts.ts'
import { sessions } from '../server/store/sessions.ts'
import { webhooks } from '../server/store/webhooks.ts'
import type { SandboxClock } from './clock.ts'
import type { FaultEngine } from './fault-engine.ts'
import { clockOffsetSchema, faultSchema } from './faults.ts'
import type { RequestStats } from './request-stats.ts'

type Result = { readonly status: number; readonly body: unknown }

/** The controls that the sandbox adds to the service. */
export type SandboxControls = {
  readonly faults: FaultEngine
  readonly stats: RequestStats
  readonly clock: SandboxClock
}

/** Keeps out web pages: they need a preflight request for this header, and the sandbox refuses preflights. */
const controlHeader = 'sluice-sandbox-control'
const maxBodyBytes = 256 * 1024
const clockSchema = z.strictObject({ offset_s: clockOffsetSchema, frozen: z.boolean().default(false) })
const faultsSchema = z.union([faultSchema, z.array(faultSchema)])

/**
 * Tests and developers control the sandbox with this endpoint. It is not part of the service. It is off by default, and
 * listens only on loopback.
 */
export function createControlEndpoint(service: Service, controls: SandboxControls): Server {
  const { clientTimeoutMs } = service.context.limits
  const timeouts = { headMs: clientTimeoutMs, requestMs: clientTimeoutMs }
  return createBoundedServer(timeouts, (request, response) => {
    void answer(service, controls, request)
      .catch((error: unknown) => ({ status: 500, body: { error: String(error) } }))
      .then((result) => send(response, result))
  })
}

async function answer(
  service: Service,
  { faults, stats, clock }: SandboxControls,
  request: IncomingMessage,
): Promise<Result> {
  const { store, bytes } = service.context
  const refusal = refuseForeignCaller(request)
  if (refusal !== null) return { status: 403, body: { error: refusal } }
  if (request.headers[controlHeader] !== '1')
    return { status: 403, body: { error: 'Send the header "Sluice-Sandbox-Control: 1".' } }
  const path = request.url ?? ''
  switch (`${request.method} ${path}`) {
    case 'POST /faults':
      return withBody(request, faultsSchema, (newFaults) => {
        for (const fault of [newFaults].flat()) faults.add(fault)
        return {}
      })
    case 'DELETE /faults':
      faults.clear()
      return ok({})
    case 'POST /clock':
      return withBody(request, clockSchema, ({ offset_s: offsetS, frozen }) => {
        clock.setFrozen(frozen)
        clock.setOffsetMs(offsetS * 1000)
        return { now: isoTime(clock.now()), offset_s: offsetS }
      })
    case 'POST /expire-urls':
      await store.write(() => meta.raiseUrlEpoch())
      return ok({})
    case 'GET /clock':
      return ok({ now: isoTime(clock.now()), offset_s: clock.offsetMs() / 1000 })
    case 'GET /files': {
      // List the stored files before the part rows. In the opposite order, a part stored between the two reads would
      // count as an orphan.
      const storedNames: string[] = []
      for await (const { name } of bytes.names()) storedNames.push(name)
      const usedNames = await store.read(parts.files())
      return ok({
        files: storedNames.length,
        orphans: storedNames.filter((name) => !usedNames.has(name)).length,
      })
    }
    case 'GET /deliveries': {
      const { pending, nextAt } = await store.read(webhooks.queue())
      const nextDeliveryInS = nextAt === null ? null : (nextAt - clock.now()) / 1000
      return ok({ pending, in_flight: service.deliveriesInFlight(), next_delivery_in_s: nextDeliveryInS })
    }
    case 'GET /stats':
      return ok(stats.report())
  }
  const sessionId = /^\/objects\/([^/]+)$/.exec(path)?.[1]
  if (request.method === 'GET' && sessionId !== undefined) return describeObject(service, sessionId)
  return { status: 404, body: { error: 'There is nothing at this address.' } }
}

/** Describes the stored bytes, so that a test can compare them with its file. */
async function describeObject({ context }: Service, sessionId: string): Promise<Result> {
  const { store, bytes } = context
  const session = await store.read(sessions.get(sessionId))
  if (session === undefined) return { status: 404, body: { error: 'There is no such session.' } }
  const rows = await store.read(parts.ofSession(sessionId))
  const storedSha256Of = async (partRows: typeof rows) => {
    const hashed = await hashRecording(bytes, partRows, null)
    return hashed === 'gone' ? hashed : hashed.sha256
  }
  const partViews = []
  for (const row of rows) {
    const { number, sha256, etag } = row
    partViews.push({ number, bytes: row.bytes, sha256, etag, stored_sha256: await storedSha256Of([row]) })
  }
  return ok({
    status: session.status,
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    sha256: await storedSha256Of(rows),
    parts: partViews,
  })
}

async function withBody<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
  work: (input: T) => unknown,
): Promise<Result> {
  const body = await readJsonBody(request, maxBodyBytes)
  if (body === null || body.kind === 'refusal') {
    return { status: 400, body: { error: body?.message ?? 'The body did not arrive.' } }
  }
  const parsed = schema.safeParse(body.value.json)
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } }
  return ok(work(parsed.data))
}

function ok(body: unknown): Result {
  return { status: 200, body }
}

function send(response: ServerResponse, { status, body }: Result): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
