import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { ServiceContext } from '../context.ts'
import type { PartHook } from '../hooks.ts'
import { createBoundedServer, refuseBrokenRequest } from '../http-server.ts'
import { type Permit, permitPart } from './permit-part.ts'
import { type StorageError, storageErrors, storageErrorXml } from './storage-error.ts'
import { storePart } from './store-part.ts'

/** How long the server keeps reading after an early refusal, so that the client can read the answer. */
const lingerMs = 1_000

/** §4.2: Signed part URLs point to a separate address. */
export function createStorageServer(context: ServiceContext): Server {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    handlePut(context, request, response).catch((error: unknown) => {
      context.log(`storage failed: ${error instanceof Error ? error.stack : String(error)}`)
      if (response.headersSent) request.socket.destroy()
      else refuse(context, request, response, storageErrors.internal)
    })
  }
  const timeouts = { headMs: context.limits.clientTimeoutMs, requestMs: 0 }
  const server = createBoundedServer(timeouts, handle, context.tls)
  // A client that waits for `100 Continue` gets a refusal before it sends hundreds of megabytes.
  server.on('checkContinue', handle)
  // An upload may take hours, but must make progress.
  server.setTimeout(context.limits.clientTimeoutMs, (socket) => socket.destroy())
  refuseBrokenRequest(server, () => {
    const error = { status: 400, code: 'InvalidRequest', message: 'This is not a well-formed HTTP request.' }
    const body = storageErrorXml(error, context.makeId('req'))
    return { status: 400, head: { 'Content-Type': 'application/xml' }, body }
  })
  return server
}

async function handlePut(
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = context.refuseCaller(request)
  if (refusal !== null)
    return refuse(context, request, response, { ...storageErrors.accessDenied, message: refusal })
  const permit = await permitPart(context, request)
  const number = permit.kind === 'granted' ? permit.part.number : undefined
  const hook = context.hooks.part(number)
  if (!(await hook.begin(request))) return
  if (hook.error !== null) return refuse(context, request, response, hook.error)
  if (permit.kind === 'refused') return refuse(context, request, response, permit.error)
  if (hook.receive(request, response)) await receive(context, request, response, permit, hook)
}

async function receive(
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
  permit: Extract<Permit, { kind: 'granted' }>,
  hook: PartHook,
): Promise<void> {
  const client = context.clientOf(request)
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  const result = await storePart(context, request, permit, hook)
  const { sessionId, number } = permit.part
  if (result.kind === 'aborted') return void request.socket.destroy()
  if (result.kind === 'refused') return refuse(context, request, response, result.error)
  const etag = hook.answer(request, response, result.etag)
  if (etag === null) return
  const requestId = context.makeId('req')
  context.metrics.countPart(200, permit.bytes)
  const path = `/${sessionId}/${number}`
  const fields = { method: 'PUT', path, status: 200, client, request_id: requestId }
  context.log(`PUT part ${sessionId}/${number} 200`, fields)
  response.writeHead(200, { ...commonHeaders(context, requestId), ETag: etag, 'Content-Length': '0' }).end()
}

function refuse(
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
  error: StorageError,
): void {
  const requestId = context.makeId('req')
  const [path = ''] = (request.url ?? '').split('?')
  const { status, code } = error
  context.metrics.countPart(status, 0)
  const client = context.clientOf(request)
  const fields = { method: request.method ?? '', path, status, code, client, request_id: requestId }
  context.log(`${request.method} part ${path} ${status} ${code} ${requestId}`, fields)
  const body = storageErrorXml(error, requestId)
  response.writeHead(error.status, {
    'Content-Type': 'application/xml',
    'Content-Length': String(Buffer.byteLength(body)),
    ...commonHeaders(context, requestId),
    ...(error.retryAfterS === undefined ? {} : { 'Retry-After': String(error.retryAfterS) }),
    ...(request.complete ? {} : { Connection: 'close' }),
  })
  response.end(body)
  if (request.complete) return
  // Closing with unread bytes would reset the connection, and the client could lose the answer.
  request.resume()
  const timer = setTimeout(() => request.socket.destroy(), lingerMs)
  request.once('close', () => clearTimeout(timer))
}

/** `context.clock` decides when URLs expire, so each answer contains the time of this clock. */
function commonHeaders(context: ServiceContext, requestId: string) {
  return { Date: new Date(context.clock.now()).toUTCString(), 'x-amz-request-id': requestId }
}
