import type { Dispatcher } from 'undici'
import { done, type Failure, failed, type Outcome } from '../domain/failure.ts'
import { FileChangedError, FileUnreadableError } from '../ports/files.ts'
import type { PartToSend } from '../ports/service.ts'
import { headerOf, requestIdOfHeaders } from './answer-headers.ts'
import { checksumHeaderFor } from './checksum-header.ts'
import { failureOfError } from './errors.ts'
import { type Answer, exchange } from './exchange.ts'
import { createPartBody } from './part-body.ts'
import { hostOf } from './part-hosts.ts'
import type { Scrub } from './scrub.ts'
import { isPage } from './status-failures.ts'
import { failureOfStorage } from './storage-failures.ts'

export type PartSenderContext = {
  readonly dispatcher: Dispatcher
  readonly trustProblem: string | null
  readonly checksumHeader: string
  readonly idleMs: number
  readonly scrub: Scrub
  /** Why no part may go to this URL, or null. */
  readonly findRefusal: (address: string) => string | null
  /** Called before a part is sent to this host. */
  readonly reportHost: (host: string) => void
  readonly nowMs: () => number
  readonly monotonicMs: () => number
}

/** Enough for any error text of a storage. */
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * Multiplies the idle timeout while Sluice waits for the answer: some MB may still be in the kernel, and the storage
 * verifies up to 512 MB.
 */
const ANSWER_TIMEOUT_FACTOR = 2

const failureOfSource = (error: unknown, scrub: Scrub): Failure => {
  if (error instanceof FileChangedError) return { kind: 'file-changed', detail: scrub(error.message) }
  if (error instanceof FileUnreadableError) return error.failure
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return { kind: 'file-vanished' }
  return { kind: 'file-busy', detail: scrub(code ?? message ?? 'unknown') }
}

/** Usual ETags have 34 characters. Sluice sends up to ten thousand of them in one completion. */
const MAX_ETAG_CHARS = 1024

const outcomeOfAnswer = (answer: Answer, isAllSent: boolean, context: PartSenderContext) => {
  if (answer.status < 200 || answer.status >= 300) {
    return failed(failureOfStorage(answer, context.scrub, context.nowMs()))
  }
  const requestId = requestIdOfHeaders(answer.headers)
  if (!isAllSent) {
    const detail = `the storage answered HTTP ${answer.status} before it had all bytes`
    return failed({ kind: 'foreign-answer', origin: 'storage', detail, requestId })
  }
  // Do not trust the ETag of a page, which may be a sign-in page. An empty answer is not a page, even if it is labelled
  // as HTML.
  if (answer.body.length > 0 && isPage(answer)) {
    const detail = `HTTP ${answer.status} with an HTML page`
    return failed({ kind: 'foreign-answer', origin: 'storage', detail, requestId })
  }
  // §4.3: the ETag is opaque, so return it verbatim, including quotes.
  const etag = headerOf(answer.headers, 'etag')
  if (etag !== null && etag !== '' && etag.length <= MAX_ETAG_CHARS) return done({ etag })
  return failed({ kind: 'etag-missing' })
}

/** More than the drive timeout, because a read may also wait for its turn. */
const SOURCE_TIMEOUT_MS = 40_000

const waitWithTimeout = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const timer = setTimeout(end, SOURCE_TIMEOUT_MS)
  const onAbort = () => end()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) end()
  await Promise.race([work, ended])
  clearTimeout(timer)
  signal.removeEventListener('abort', onAbort)
}

/** §4.2: one PUT to a signed URL. The signature is the only authorization: the key is never sent here. */
export const sendPart = async (
  part: PartToSend,
  context: PartSenderContext,
): Promise<Outcome<{ readonly etag: string }>> => {
  const refusal = context.findRefusal(part.url)
  if (refusal !== null) return failed({ kind: 'host-refused', origin: 'storage', detail: refusal })
  context.reportHost(hostOf(part.url))
  const url = new URL(part.url)
  const body = createPartBody({ ...part, monotonicMs: context.monotonicMs })
  const result = await exchange({
    dispatcher: context.dispatcher,
    url,
    method: 'PUT',
    headers: {
      'content-length': String(part.sizeBytes),
      [checksumHeaderFor(url, context.checksumHeader)]: part.sha256Base64,
    },
    body: body.stream,
    idleMs: context.idleMs,
    answerMs: context.idleMs * ANSWER_TIMEOUT_FACTOR,
    bodyMs: context.idleMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxErrorBytes: MAX_ANSWER_BYTES,
    signal: part.signal,
  })
  // At its end, the source checks that the file is unchanged since the hashing.
  if (body.isAllSent() && result.kind === 'answer') await body.finished
  // While a drive hangs, the storage may close the idle connection. Wait for the last read, because only its timeout
  // shows that the drive is the cause.
  else if (result.kind === 'broken') await waitWithTimeout(body.lastRead(), part.signal)
  body.stop()

  if (result.kind === 'cancelled') return failed({ kind: 'cancelled' })
  const sourceError = body.error()
  if (sourceError !== null) return failed(failureOfSource(sourceError, context.scrub))
  // Use a partial answer, too: a refusal explains more than "connection reset", and an ETag is valid anyway.
  if (result.answer !== null) return outcomeOfAnswer(result.answer, body.isAllSent(), context)
  if (result.kind === 'broken') {
    const { scrub, trustProblem } = context
    return failed(failureOfError(result.error, { origin: 'storage', host: url.host, scrub, trustProblem }))
  }
  const detail = `${url.host}: no progress within the time limit`
  return failed({ kind: 'timeout', origin: 'storage', connected: true, detail })
}
