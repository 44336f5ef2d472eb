import type { ProblemCode } from '../../../shared/status/status.ts'
import { type Failure, requestIdOf, wordsOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import { decide } from '../domain/retry-policy.ts'

/** ` Request ID: req_1.`, where there is one to quote. */
export const quoted = (failure: Failure): string => {
  const requestId = requestIdOf(failure)
  return requestId === null ? '' : ` Request ID: ${requestId}.`
}

/** The policy's own words for what went wrong, with the other side's, and the request id to quote. */
export const sentenceOf = (failure: Failure): string => {
  const say = (code: ProblemCode) =>
    `${problemOf(code, { detail: wordsOf(failure) }).sentence}${quoted(failure)}`
  if (failure.kind === 'not-found')
    return `The service does not have this session any more.${quoted(failure)}`
  // A person who asks is told what the service says, at once.
  const decision = decide(failure, { attempt: 1, streak: 0, lost: true }, () => 0)
  switch (decision.kind) {
    case 'condition':
    case 'wait':
      return say(decision.code)
    case 'session-lost':
      return say('session-elsewhere')
    default:
      return say('service-unreachable')
  }
}
