/** Errors of the storage: S3-style codes in XML, not the error object of the control API. */
export type StorageError = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfterS?: number
}

export const storageErrors = {
  accessDenied: { status: 403, code: 'AccessDenied', message: 'Access Denied' },
  expired: { status: 403, code: 'AccessDenied', message: 'Request has expired' },
  badSignature: {
    status: 403,
    code: 'SignatureDoesNotMatch',
    message: 'The request signature does not match the request.',
  },
  noSuchKey: { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' },
  noSuchUpload: { status: 404, code: 'NoSuchUpload', message: 'The session does not exist.' },
  notUploading: {
    status: 409,
    code: 'OperationAborted',
    message: 'The session no longer accepts parts, because its completion has started.',
  },
  methodNotAllowed: { status: 405, code: 'MethodNotAllowed', message: 'Only PUT is allowed here.' },
  missingLength: {
    status: 411,
    code: 'MissingContentLength',
    message: 'You must provide the Content-Length HTTP header.',
  },
  tooLarge: { status: 400, code: 'EntityTooLarge', message: 'The body is longer than this part.' },
  tooSmall: { status: 400, code: 'EntityTooSmall', message: 'The body is shorter than this part.' },
  badDigest: {
    status: 400,
    code: 'BadDigest',
    message: 'The SHA-256 you specified did not match the bytes received.',
  },
  internal: { status: 500, code: 'InternalError', message: 'We encountered an internal error. Try again.' },
  slowDown: { status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' },
} as const satisfies Record<string, StorageError>

export function missingChecksum(header: string): StorageError {
  return { status: 400, code: 'InvalidRequest', message: `Missing required header: ${header}` }
}

export function malformedChecksum(header: string): StorageError {
  return { status: 400, code: 'InvalidRequest', message: `Value for ${header} header is invalid.` }
}

export function storageErrorXml(error: StorageError, requestId: string): string {
  const { code, message } = error
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Error><Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message>` +
    `<RequestId>${requestId}</RequestId></Error>`
  )
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
