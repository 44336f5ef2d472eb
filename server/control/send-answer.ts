import type { ServerResponse } from 'node:http'
import type { ErrorBody } from '../../shared/contract/control-api.ts'
import type { Outcome } from '../answer.ts'
import type { RateState } from './rate-limit.ts'

export type AnswerHead = Readonly<Record<string, string>>

/** §2.1.5, §8: headers of every answer. */
export function answerHead(requestId: string, rate: RateState, nowMs: number, outcome: Outcome): AnswerHead {
  return {
    // Send the time of the clock that decides when URLs expire.
    Date: new Date(nowMs).toUTCString(),
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Request-Id': requestId,
    'RateLimit-Limit': String(rate.limit),
    'RateLimit-Remaining': String(rate.remaining),
    'RateLimit-Reset': String(rate.resetS),
    ...(outcome.kind === 'refusal' && outcome.retryAfterS !== undefined
      ? { 'Retry-After': String(outcome.retryAfterS) }
      : {}),
  }
}

/** §7: all fields are strings; `param` is empty if no parameter is at fault. */
export function answerBody(requestId: string, outcome: Outcome): unknown {
  if (outcome.kind === 'ok') return outcome.body
  const { type, code, message, param } = outcome
  return { error: { type, code, message, param, request_id: requestId } } satisfies ErrorBody
}

export function answerStatus(outcome: Outcome): number {
  return outcome.kind === 'ok' ? 200 : outcome.status
}

export function sendText(response: ServerResponse, status: number, head: AnswerHead, text: string): void {
  const body = Buffer.from(text)
  response.writeHead(status, { ...head, 'Content-Length': String(body.length) })
  response.end(body)
}
