import type { ProblemCode } from '../../../shared/status/problem.ts'
import { type Failure, requestIdOf, wordsOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import { decide } from '../domain/retry-policy.ts'

/** ` Request ID: req_1.`, or nothing if there is none. */
export const requestIdWords = (failure: Failure): string => {
  const requestId = requestIdOf(failure)
  return requestId === null ? '' : ` Request ID: ${requestId}.`
}

/**
 * Describes a failure to the user: Sluice's description, the message of the service or storage if it helps, and the
 * request ID.
 */
export const sentenceOf = (failure: Failure): string => {
  const describe = (code: ProblemCode) =>
    `${problemOf(code, { detail: wordsOf(failure) }).sentence}${requestIdWords(failure)}`
  if (failure.kind === 'not-found')
    return `The service does not have this session any more.${requestIdWords(failure)}`
  // Sluice believes "belongs to a different organisation" only after a second such answer. A user wants to see the
  // first one, so `isSessionLost` is true.
  const decision = decide(failure, { attempt: 1, streak: 0, isSessionLost: true }, () => 0)
  switch (decision.kind) {
    case 'condition':
    case 'wait':
      return describe(decision.code)
    case 'session-lost':
      return describe('session-elsewhere')
    default:
      return describe('service-unreachable')
  }
}
