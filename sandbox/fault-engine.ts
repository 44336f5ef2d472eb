import type { Refusal } from '../server/answer.ts'
import { refusalForStatus } from './fault-refusal.ts'
import type { Fault, FaultEffect } from './faults.ts'
import type { RouteName } from './request-stats.ts'

/** The combined effects of all faults on one request. */
export type FaultPlan = {
  latencyMs: number
  refusal: Refusal | null
  drop: 'before_body' | 'after_body' | null
  loseAnswer: boolean
  stallAfterBytes: number | null
  halfOpen: boolean
  expiredUrl: boolean
  corruptEtag: boolean
  html: boolean
  truncatedJson: boolean
  badIds: boolean
  negativePartSize: boolean
  duplicateEvent: boolean
  reorderEvents: boolean
}

export class FaultEngine {
  #faults: { readonly fault: Fault; requestCount: number }[] = []

  add(fault: Fault): void {
    this.#faults.push({ fault, requestCount: 0 })
  }

  clear(): void {
    this.#faults = []
  }

  /** Counts the request for every fault that matches it, and returns the effects that apply to it. */
  planFor(route: RouteName, part?: number): FaultPlan {
    const plan = emptyPlan()
    for (const entry of this.#faults) {
      const { fault } = entry
      if (fault.route !== 'any' && fault.route !== route) continue
      if (fault.match?.part !== undefined && fault.match.part !== part) continue
      entry.requestCount += 1
      if (entry.requestCount > fault.after && entry.requestCount <= fault.after + fault.count)
        addEffect(plan, fault.effect)
    }
    return plan
  }
}

function emptyPlan(): FaultPlan {
  return {
    latencyMs: 0,
    refusal: null,
    drop: null,
    loseAnswer: false,
    stallAfterBytes: null,
    halfOpen: false,
    expiredUrl: false,
    corruptEtag: false,
    html: false,
    truncatedJson: false,
    badIds: false,
    negativePartSize: false,
    duplicateEvent: false,
    reorderEvents: false,
  }
}

function addEffect(plan: FaultPlan, effect: FaultEffect): void {
  switch (effect.kind) {
    case 'status': {
      const refusal = refusalForStatus(effect.status, effect.code)
      const { retry_after_s: retryAfterS } = effect
      plan.refusal = retryAfterS === undefined ? refusal : { ...refusal, retryAfterS }
      return
    }
    case 'latency':
      plan.latencyMs += effect.ms
      return
    case 'drop':
      plan.drop = effect.when
      return
    case 'lose_answer':
      plan.loseAnswer = true
      return
    case 'stall':
      plan.stallAfterBytes = effect.after_bytes
      return
    case 'half_open':
      plan.halfOpen = true
      return
    case 'expired_url':
      plan.expiredUrl = true
      return
    case 'corrupt_etag':
      plan.corruptEtag = true
      return
    case 'html':
      plan.html = true
      return
    case 'truncated_json':
      plan.truncatedJson = true
      return
    case 'bad_ids':
      plan.badIds = true
      return
    case 'negative_part_size':
      plan.negativePartSize = true
      return
    case 'duplicate_event':
      plan.duplicateEvent = true
      return
    case 'reorder_events':
      plan.reorderEvents = true
      return
    default:
      effect satisfies never
  }
}
