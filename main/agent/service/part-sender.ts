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
  /** Why no part may go to this address, or null. */
  readonly refusal: (address: string) => string | null
  /** A part is about to go there. */
  readonly hostSeen: (host: string) => void
  readonly nowMs: () => number
  readonly monotonicMs: () => number
}

/** Enough for any error text of a storage; more is not worth reading. */
const MAX_ANSWER_BYTES = 64 * 1024

/** A storage checks the digest of up to 512 MB, and up to some MB still wait in the kernel, after the last byte. */
const ANSWER_PATIENCE = 2

const failureOfSource = (error: unknown, scrub: Scrub): Failure => {
  if (error instanceof FileChangedError) return { kind: 'file-changed', detail: scrub(error.message) }
  if (error instanceof FileUnreadableError) return error.failure
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return { kind: 'file-vanished' }
  return { kind: 'file-busy', detail: scrub(code ?? message ?? 'unknown') }
}

/** Ten thousand of them go into the journal and into one completion; known ones have 34 characters. */
const LONGEST_ETAG = 1024

const outcomeOfAnswer = (answer: Answer, allSent: boolean, context: PartSenderContext) => {
  if (answer.status < 200 || answer.status >= 300) {
    return failed(failureOfStorage(answer, context.scrub, context.nowMs()))
  }
  const requestId = requestIdOfHeaders(answer.headers)
  if (!allSent) {
    const detail = `the storage answered HTTP ${answer.status} before it had all bytes`
    return failed({ kind: 'foreign-answer', origin: 'storage', detail, requestId })
  }
  // A sign-in page has an ETag too. Some storages call their empty answer HTML.
  if (answer.body.length > 0 && isPage(answer)) {
    const detail = `HTTP ${answer.status} with an HTML page`
    return failed({ kind: 'foreign-answer', origin: 'storage', detail, requestId })
  }
  // Opaque and returned verbatim (§4.3), quotes included.
  const etag = headerOf(answer.headers, 'etag')
  if (etag !== null && etag !== '' && etag.length <= LONGEST_ETAG) return done({ etag })
  return failed({ kind: 'etag-missing' })
}

/** Somewhat more than a drive is waited for; a read may also wait for its turn, which says nothing of the drive. */
const SOURCE_PATIENCE_MS = 40_000

const unlessEnded = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const timer = setTimeout(end, SOURCE_PATIENCE_MS)
  const aborted = () => end()
  signal.addEventListener('abort', aborted, { once: true })
  if (signal.aborted) end()
  await Promise.race([work, ended])
  clearTimeout(timer)
  signal.removeEventListener('abort', aborted)
}

/** §4.2: one PUT to a signed address. The signature is the only authority: the key is never sent here. */
export const sendPart = async (
  part: PartToSend,
  context: PartSenderContext,
): Promise<Outcome<{ readonly etag: string }>> => {
  const refusal = context.refusal(part.url)
  if (refusal !== null) return failed({ kind: 'host-refused', origin: 'storage', detail: refusal })
  context.hostSeen(hostOf(part.url))
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
    answerMs: context.idleMs * ANSWER_PATIENCE,
    bodyMs: context.idleMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxErrorBytes: MAX_ANSWER_BYTES,
    signal: part.signal,
  })
  // With all bytes out, the source has one word left: whether they were the bytes that were hashed before.
  if (body.allSent() && result.kind === 'answer') await body.finished
  // A storage ends a connection on which nothing comes, and nothing comes from a drive that does not answer. That is the
  // file's trouble, which the read says when its own patience ends.
  else if (result.kind === 'broken') await unlessEnded(body.given(), part.signal)
  body.stop()

  if (result.kind === 'cancelled') return failed({ kind: 'cancelled' })
  const thrown = body.error()
  if (thrown !== null) return failed(failureOfSource(thrown, context.scrub))
  // A torn answer counts as far as it came: a refusal says more than "connection reset", an ETag is an ETag.
  if (result.answer !== null) return outcomeOfAnswer(result.answer, body.allSent(), context)
  if (result.kind === 'broken') {
    const { scrub, trustProblem } = context
    return failed(failureOfError(result.error, { origin: 'storage', host: url.host, scrub, trustProblem }))
  }
  const detail = `${url.host}: nothing moved within the time limit`
  return failed({ kind: 'timeout', origin: 'storage', connected: true, detail })
}
