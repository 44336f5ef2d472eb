import type { ProblemCode } from '../../../shared/status/problem.ts'
import { type Failure, requestIdOf, wordsOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import { decide } from '../domain/retry-policy.ts'

/** ` Request ID: req_1.`, or nothing if there is none. */
export const requestIdWords = (failure: Failure): string => {
  const requestId = requestIdOf(failure)
  return requestId === null ? '' : ` Request ID: ${requestId}.`
}

/** One text about a failure: Sluice's description, the message of the service or storage, and the request id. */
export const sentenceOf = (failure: Failure): string => {
  const describe = (code: ProblemCode) =>
    `${problemOf(code, { detail: wordsOf(failure) }).sentence}${requestIdWords(failure)}`
  if (failure.kind === 'not-found')
    return `The service does not have this session any more.${requestIdWords(failure)}`
  // A user wants the service's current answer, so one denial is enough: `isSessionLost` is true.
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
