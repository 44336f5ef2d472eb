import { type Refusal, refusal } from '../server/answer.ts'
import type { ErrorType } from '../shared/contract/control-api.ts'

/** Derives the §7 error type from the status, because a fault has no field for the type. */
export function refusalForStatus(status: number, code?: string): Refusal {
  const [type, fallback] = typeAndCode(status)
  return refusal(status, type, code ?? fallback, `A fault made the sandbox answer ${status}.`)
}

function typeAndCode(status: number): [ErrorType, string] {
  switch (status) {
    case 401:
      return ['authentication', 'key_invalid']
    case 403:
      return ['permission', 'permission_denied']
    case 404:
      return ['not_found', 'not_found']
    case 409:
      return ['conflict', 'conflict']
    case 422:
      return ['processing', 'cannot_process']
    case 429:
      return ['rate_limited', 'rate_limit_exceeded']
    default:
      return status >= 500 ? ['api_error', 'internal_error'] : ['invalid_request', 'parameter_invalid']
  }
}
