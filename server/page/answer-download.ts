import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Checked, conflict, forbidden, type Refusal, serverError, value } from '../answer.ts'
import type { ServiceContext } from '../context.ts'
import { noSuchSession } from '../control/find-session.ts'
import { answerBody, sendText } from '../control/send-answer.ts'
import type { ByteRange, ByteStore } from '../storage/byte-store.ts'
import { keys } from '../store/keys.ts'
import { meta } from '../store/meta.ts'
import { type PartRow, parts } from '../store/parts.ts'
import { type SessionRow, sessions } from '../store/sessions.ts'
import { attachmentHeader } from './attachment-header.ts'
import { parseRange } from './byte-range.ts'
import { verifyDownloadLink } from './download-link.ts'

/** Sends the recording of a signed link, or a range of it. */
export async function answerDownload(
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = performance.now()
  const requestId = context.makeId('req')
  // Read the address now, because a closed socket no longer has it.
  const client = context.clientOf(request)
  // A client that stops reading would keep the connection for ever, so Node closes a connection without progress.
  request.socket.setTimeout(context.limits.clientTimeoutMs)
  let error: unknown
  let isCutOff = false
  try {
    const result = await findRecording(context, request.url ?? '')
    if (result.kind === 'refusal') refuse(context, response, requestId, result)
    else await sendRecording(context, request, response, requestId, result.value)
  } catch (caught) {
    error = caught
    isCutOff = response.headersSent
    if (isCutOff) response.destroy()
    else refuse(context, response, requestId, serverError())
  }
  const ms = Math.round(performance.now() - startedAt)
  const status = isCutOff ? 'aborted' : response.statusCode
  context.metrics.countRequest('download', status, ms / 1000)
  // The query has the signature, so the log has the path only.
  const [path = ''] = (request.url ?? '').split('?')
  const method = request.method ?? ''
  const fields = { method, path, status, duration_ms: ms, client, request_id: requestId }
  context.log(`${method} ${path} ${status} ${ms} ms ${requestId}${reasonOf(error)}`, fields)
}

/** It is no error if the client ends the download. */
function reasonOf(error: unknown): string {
  const isClientGone = (error as { code?: string } | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE'
  if (error === undefined || isClientGone) return ''
  return ` failed: ${error instanceof Error ? error.stack : String(error)}`
}

async function findRecording(context: ServiceContext, target: string): Promise<Checked<SessionRow>> {
  const { store, signer, clock } = context
  const epoch = await store.read(meta.urlEpoch())
  const verdict = verifyDownloadLink(signer.secret, target, clock.now(), epoch)
  if (verdict.kind === 'bad-signature') return forbidden('link_invalid', 'This download link is not valid.')
  if (verdict.kind === 'expired') return linkExpired
  const key = await store.read(keys.byId(verdict.terms.keyId))
  if (key === undefined || key.revoked === 1) return linkExpired
  const session = await store.read(sessions.get(verdict.terms.sessionId))
  if (session === undefined || session.org_id !== key.org_id) return noSuchSession
  return session.status === 'uploading' ? notComplete : value(session)
}

const linkExpired = forbidden(
  'link_expired',
  'This download link has expired. Request a new one on the page.',
)

export const notComplete = conflict(
  'session_not_complete',
  'The upload is not complete, so the recording cannot be downloaded yet.',
)

async function sendRecording(
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  session: SessionRow,
): Promise<void> {
  const storedParts = await context.store.read(parts.ofSession(session.id))
  const size = session.bytes
  const etag = `"${session.sha256}"`
  const ifRange = request.headers['if-range']
  const isSameFile = ifRange === undefined || ifRange === etag
  const range = isSameFile ? parseRange(request.headers.range, size) : 'whole'
  const head = {
    ...commonHead(context, requestId),
    'Accept-Ranges': 'bytes',
    ETag: etag,
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachmentHeader(session.filename),
    // If a browser ever showed the file, its scripts could not run and could not reach the page.
    'Content-Security-Policy': "sandbox; default-src 'none'",
    // Otherwise nginx stores large answers on its own disk first.
    'X-Accel-Buffering': 'no',
  }
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...head, 'Content-Range': `bytes */${size}`, 'Content-Length': '0' }).end()
    return
  }
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range
  const rangeHead = range === 'whole' ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }
  const contentLength = String(end - start)
  response.writeHead(range === 'whole' ? 200 : 206, {
    ...head,
    ...rangeHead,
    'Content-Length': contentLength,
  })
  if (request.method === 'HEAD') return void response.end()
  await pipeline(Readable.from(readRange(context.bytes, storedParts, { start, end })), response)
}

/**
 * Reads a range of the recording across its parts. Copies each chunk, because the stream may keep a chunk longer than
 * the chunk is valid.
 */
async function* readRange(
  bytes: ByteStore,
  storedParts: readonly PartRow[],
  range: ByteRange,
): AsyncGenerator<Buffer> {
  let partStart = 0
  for (const part of storedParts) {
    const start = Math.max(range.start - partStart, 0)
    const end = Math.min(range.end - partStart, part.bytes)
    if (start < end)
      for await (const chunk of bytes.chunks(part.file, { start, end })) yield Buffer.from(chunk)
    partStart += part.bytes
  }
}

function refuse(
  context: ServiceContext,
  response: ServerResponse,
  requestId: string,
  refusal: Refusal,
): void {
  const head = { ...commonHead(context, requestId), 'Content-Type': 'application/json' }
  sendText(response, refusal.status, head, JSON.stringify(answerBody(requestId, refusal)))
}

function commonHead(context: ServiceContext, requestId: string) {
  return {
    Date: new Date(context.clock.now()).toUTCString(),
    'Request-Id': requestId,
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}
