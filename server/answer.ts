import type { ErrorType } from '../shared/contract/control-api.ts'

export type Answer = {
  readonly kind: 'ok'
  readonly body: unknown
  /** Only in the answer to a create request: the values that the server stores instead of the large body. */
  readonly created?: CreatedUpload
}

/**
 * The values from which `createdBody` builds the answer to a create request (§2.3). The answer itself may contain
 * megabytes of signed URLs.
 */
export type CreatedUpload = {
  readonly session: { readonly id: string; readonly bytes: number; readonly part_size: number }
  readonly signed: { readonly atMs: number; readonly epoch: number; readonly lifetimeS: number }
  /** The base address of the signed URLs. Stored, because a repeated answer must not change after a restart. */
  readonly uploadUrl: string
}

export type Refusal = {
  readonly kind: 'refusal'
  readonly status: number
  readonly type: ErrorType
  readonly code: string
  readonly message: string
  readonly param: string
  readonly retryAfterS?: number
}

export type Outcome = Answer | Refusal

/** A valid value, or the refusal of an invalid one. */
export type Checked<T> = { readonly kind: 'value'; readonly value: T } | Refusal

export function ok(body: unknown): Answer {
  return { kind: 'ok', body }
}

export function value<T>(checked: T): Checked<T> {
  return { kind: 'value', value: checked }
}

export function refusal(status: number, type: ErrorType, code: string, message: string, param = ''): Refusal {
  return { kind: 'refusal', status, type, code, message, param }
}

export function invalid(param: string, message: string, code = 'parameter_invalid'): Refusal {
  return refusal(400, 'invalid_request', code, message, param)
}

export function unauthenticated(code: string, message: string): Refusal {
  return refusal(401, 'authentication', code, message)
}

export function forbidden(code: string, message: string): Refusal {
  return refusal(403, 'permission', code, message)
}

export function notFound(code: string, message: string): Refusal {
  return refusal(404, 'not_found', code, message)
}

export function conflict(code: string, message: string, param = ''): Refusal {
  return refusal(409, 'conflict', code, message, param)
}

export function unprocessable(code: string, message: string): Refusal {
  return refusal(422, 'processing', code, message)
}

export function rateLimited(retryAfterS: number): Refusal {
  const message = `Too many requests with this key; try again in ${retryAfterS} s.`
  return { ...refusal(429, 'rate_limited', 'rate_limit_exceeded', message), retryAfterS }
}

export function serverError(): Refusal {
  return refusal(500, 'api_error', 'internal_error', 'The service had an internal error. Try again.')
}
