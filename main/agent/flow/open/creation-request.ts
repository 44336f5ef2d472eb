import type { CreateSessionRequest } from '../../../../shared/contract/control-api.ts'
import type { SessionLabels } from '../../domain/naming.ts'
import type { Recording } from '../../journal/journal.ts'

/**
 * The request that creates a recording's session (§4.1). Sluice stores the request in the journal before sending it.
 */

/**
 * After a refusal, the opener clears the idempotency key and keeps the body. So a body without a key marks a refused
 * request.
 */
export const wasRefused = ({ createKey, createBody }: Recording): boolean =>
  createKey === null && createBody !== null

const requestOf = (recording: Recording, { site, device, notes }: SessionLabels): CreateSessionRequest => {
  if (recording.sha256 === null || recording.partSizeBytes === null) throw new Error('ready without digests')
  return {
    site,
    filename: recording.name,
    bytes: recording.identity.sizeBytes,
    sha256: recording.sha256,
    part_size: recording.partSizeBytes,
    ...(device === null ? {} : { device }),
    ...(notes === null ? {} : { notes }),
  }
}

export const bodyOf = (...args: Parameters<typeof requestOf>): string => JSON.stringify(requestOf(...args))

/** False if the recording changed while Sluice worked on its request. */
export const isUnchanged = (current: Recording | null, { createKey, sha256 }: Recording): boolean =>
  current?.state === 'ready' && current.createKey === createKey && current.sha256 === sha256
