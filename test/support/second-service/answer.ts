import { randomBytes } from 'node:crypto'

/** An answer of a listener. If it comes from the gateway in front of the service, the service adds no headers. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly isFromGateway?: boolean
}

export type ServiceError = {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param?: string
}

export const newId = (prefix: string): string => `${prefix}_${randomBytes(10).toString('hex')}`

export const json = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** §7: every field is a string, and `request_id` equals the Request-Id header. */
export const refusal = (error: ServiceError, requestId: string): Answer =>
  json(error.status, {
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      ...(error.param === undefined ? {} : { param: error.param }),
      request_id: requestId,
    },
  })

export const badParameter = (param: string, message: string): ServiceError => ({
  status: 400,
  type: 'invalid_request',
  code: 'parameter_invalid',
  message,
  param,
})

export const conflict = (code: string, message: string): ServiceError => ({
  status: 409,
  type: 'conflict',
  code,
  message,
})

export const gatewayTimeout: Answer = {
  status: 504,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>504 Gateway Time-out</h1></body></html>',
  isFromGateway: true,
}
