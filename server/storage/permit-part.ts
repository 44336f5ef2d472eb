import type { IncomingMessage } from 'node:http'
import type { ServiceContext } from '../context.ts'
import { partBytes, partCount } from '../part-plan.ts'
import { meta } from '../store/meta.ts'
import { type SessionRow, sessions } from '../store/sessions.ts'
import { verifyPartUrl } from './signed-url.ts'
import type { PartAddress } from './signing-terms.ts'
import { malformedChecksum, missingChecksum, type StorageError, storageErrors } from './storage-error.ts'

/** The decision about an upload before its first byte is read. */
export type Permit =
  | {
      readonly kind: 'granted'
      readonly session: SessionRow
      readonly part: PartAddress
      readonly bytes: number
      readonly sha256: Buffer
    }
  | { readonly kind: 'refused'; readonly error: StorageError }

export async function permitPart(context: ServiceContext, request: IncomingMessage): Promise<Permit> {
  const { signer, clock, store } = context
  if (request.method !== 'PUT') return refuse(storageErrors.methodNotAllowed)
  const epoch = await store.read(meta.urlEpoch())
  const verdict = verifyPartUrl(signer, request.url ?? '', clock.now(), epoch)
  switch (verdict.kind) {
    case 'no-such-path':
      return refuse(storageErrors.noSuchKey)
    case 'not-signed':
      return refuse(storageErrors.accessDenied)
    case 'bad-signature':
      return refuse(storageErrors.badSignature)
    case 'expired':
      return refuse(storageErrors.expired)
    case 'valid':
      return permitBody(context, request, verdict.part)
    default:
      return verdict satisfies never
  }
}

async function permitBody(
  { store, signer }: ServiceContext,
  request: IncomingMessage,
  part: PartAddress,
): Promise<Permit> {
  const session = await store.read(sessions.get(part.sessionId))
  if (session === undefined || part.number > partCount(session)) return refuse(storageErrors.noSuchUpload)
  if (session.status !== 'uploading') return refuse(storageErrors.notUploading)
  const length = request.headers['content-length']
  if (length === undefined) return refuse(storageErrors.missingLength)
  const bytes = partBytes(session, part.number)
  if (Number(length) > bytes) return refuse(storageErrors.tooLarge)
  if (Number(length) < bytes) return refuse(storageErrors.tooSmall)
  const header = signer.checksumHeader
  const checksum = request.headers[header]
  if (checksum === undefined) return refuse(missingChecksum(header))
  const sha256 = typeof checksum === 'string' ? Buffer.from(checksum, 'base64') : null
  if (sha256?.length !== 32 || sha256.toString('base64') !== checksum)
    return refuse(malformedChecksum(header))
  return { kind: 'granted', session, part, bytes, sha256 }
}

function refuse(error: StorageError): Permit {
  return { kind: 'refused', error }
}
