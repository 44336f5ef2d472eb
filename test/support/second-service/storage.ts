import { createHash } from 'node:crypto'
import type { Answer } from './answer.ts'
import type { Incoming } from './listener.ts'
import type { SessionStore } from './session-store.ts'

const errorAnswer = (status: number, code: string): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
})

/** §4.2: the signed endpoints. They accept no bearer token. */
export const acceptPart = (request: Incoming, store: SessionStore): Answer => {
  const [, , id = '', numberText = ''] = request.path.split('/')
  const number = Number(numberText)
  const session = store.find(id)
  if (request.method !== 'PUT') return errorAnswer(405, 'MethodNotAllowed')
  if (request.headers.authorization !== undefined) return errorAnswer(400, 'TokenNotWanted')
  if (session === null || !store.isSigned(id, number, request.query)) return errorAnswer(403, 'AccessDenied')
  if (session.completedAt !== null) return errorAnswer(403, 'AlreadyCompleted')
  if (request.body.length !== store.partBytes(session, number)) return errorAnswer(400, 'WrongLength')
  const header = Object.keys(request.headers).find((name) => /^x-[a-z0-9-]+-checksum-sha256$/.test(name))
  if (header === undefined) return errorAnswer(400, 'ChecksumMissing')
  const digest = createHash('sha256').update(request.body).digest('base64')
  if (request.headers[header] !== digest) return errorAnswer(400, 'BadDigest')
  return { status: 200, headers: { etag: store.storePart(session, number, request.body) }, body: '' }
}
