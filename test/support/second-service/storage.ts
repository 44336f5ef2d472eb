import { createHash } from 'node:crypto'
import type { Answer } from './answer.ts'
import type { Incoming } from './listener.ts'
import type { SessionStore } from './session-store.ts'

const plain = (status: number, code: string): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
})

/** §4.2: the signed endpoints. They accept no bearer token. */
export const takePart = (request: Incoming, store: SessionStore): Answer => {
  const [, , id = '', wanted = ''] = request.path.split('/')
  const number = Number(wanted)
  const session = store.find(id)
  if (request.method !== 'PUT') return plain(405, 'MethodNotAllowed')
  if (request.headers.authorization !== undefined) return plain(400, 'TokenNotWanted')
  if (session === null || !store.signed(id, number, request.query)) return plain(403, 'AccessDenied')
  if (session.completedAt !== null) return plain(403, 'AlreadyCompleted')
  if (request.body.length !== store.partBytes(session, number)) return plain(400, 'WrongLength')
  const header = Object.keys(request.headers).find((name) => /^x-[a-z0-9-]+-checksum-sha256$/.test(name))
  if (header === undefined) return plain(400, 'ChecksumMissing')
  const digest = createHash('sha256').update(request.body).digest('base64')
  if (request.headers[header] !== digest) return plain(400, 'BadDigest')
  return { status: 200, headers: { etag: store.keepPart(session, number, request.body) }, body: '' }
}
