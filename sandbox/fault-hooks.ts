import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sendText } from '../server/control/send-answer.ts'
import type { ControlAnswer, ControlHook, DeliveryHook, PartHook, ServiceHooks } from '../server/hooks.ts'
import { type StorageError, storageErrors } from '../server/storage/storage-error.ts'
import { captivePortal } from './captive-portal.ts'
import { corruptBody } from './corrupt-answer.ts'
import type { FaultEngine, FaultPlan } from './fault-engine.ts'
import type { RequestStats } from './request-stats.ts'

/** Delays an event long enough for later events to overtake it. */
const reorderDelayMs = 500

/** Injects the planned faults into requests, and counts the requests. */
export function faultHooks(faults: FaultEngine, stats: RequestStats): ServiceHooks {
  return {
    control(route) {
      stats.countRequest(route)
      return controlHook(faults.planFor(route))
    },
    part(number) {
      stats.countRequest('put_part')
      return partHook(faults.planFor('put_part', number), stats)
    },
    delivery: () => deliveryHook(faults.planFor('webhook'), stats),
  }
}

function controlHook(plan: FaultPlan): ControlHook {
  return {
    async begin(request) {
      if (plan.latencyMs > 0) await delay(plan.latencyMs, undefined, { ref: false })
      if (plan.drop === 'before_body') request.socket.destroy()
      return !plan.halfOpen && plan.drop !== 'before_body'
    },
    refusal: plan.refusal,
    dropsBody: plan.drop === 'after_body',
    signedAtMs: (nowMs, urlLifetimeS) => nowMs - (plan.expiredUrl ? urlLifetimeS * 1000 + 60_000 : 0),
    answer: (request, response, answer) => answerWithFault(plan, request, response, answer),
  }
}

function answerWithFault(
  plan: FaultPlan,
  request: IncomingMessage,
  response: ServerResponse,
  { status, head, body }: ControlAnswer,
): boolean {
  if (plan.loseAnswer) {
    request.socket.destroy()
    return true
  }
  if (plan.html) {
    sendText(response, 200, { ...head, 'Content-Type': 'text/html' }, captivePortal)
    return true
  }
  const isCorrupted = plan.truncatedJson || plan.badIds || plan.negativePartSize
  if (!isCorrupted && plan.stallAfterBytes === null) return false
  const text = JSON.stringify(corruptBody(body, plan))
  if (plan.stallAfterBytes !== null) {
    response.writeHead(status, { ...head, 'Content-Length': String(Buffer.byteLength(text)) })
    response.write(Buffer.from(text).subarray(0, plan.stallAfterBytes))
    return true
  }
  sendText(response, status, head, plan.truncatedJson ? text.slice(0, text.length / 2) : text)
  return true
}

function partHook(plan: FaultPlan, stats: RequestStats): PartHook {
  return {
    async begin(request) {
      if (plan.latencyMs > 0) await delay(plan.latencyMs, undefined, { ref: false })
      if (plan.halfOpen) stall(request, 0)
      else if (plan.drop === 'before_body') request.socket.destroy()
      else return true
      return false
    },
    error: plan.expiredUrl
      ? storageErrors.expired
      : plan.refusal === null
        ? null
        : storageErrorOf(plan.refusal),
    receive(request, response) {
      if (plan.stallAfterBytes !== null) stall(request, plan.stallAfterBytes)
      else if (plan.drop === 'after_body') {
        if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
        request.on('end', () => request.socket.destroy()).resume()
      } else return true
      return false
    },
    onWholeBody: ({ sessionId, number }) => stats.countWholePart(sessionId, number),
    answer(request, response, etag) {
      if (plan.loseAnswer) request.socket.destroy()
      else if (plan.html) response.writeHead(200, { 'Content-Type': 'text/html' }).end(captivePortal)
      else return plan.corruptEtag ? `"${'0'.repeat(32)}"` : etag
      return null
    },
  }
}

function storageErrorOf({
  status,
  code,
  message,
  retryAfterS,
}: NonNullable<FaultPlan['refusal']>): StorageError {
  const base = status === 503 ? storageErrors.slowDown : { status, code, message }
  return retryAfterS === undefined ? base : { ...base, retryAfterS }
}

/** Stops reading after the given number of bytes: the client's send buffer fills up and the upload stalls. */
function stall(request: IncomingMessage, afterBytes: number): void {
  // The fault simulates a dead connection, so no timeout may end it.
  request.socket.setTimeout(0)
  if (afterBytes === 0) return void request.pause()
  let readBytes = 0
  request.on('data', (chunk: Buffer) => {
    readBytes += chunk.length
    if (readBytes >= afterBytes) request.pause()
  })
}

function deliveryHook(plan: FaultPlan, stats: RequestStats): DeliveryHook {
  return {
    delayMs: plan.reorderEvents ? reorderDelayMs : null,
    copies: plan.duplicateEvent ? 2 : 1,
    beforeSend: () => stats.countRequest('webhook'),
  }
}
