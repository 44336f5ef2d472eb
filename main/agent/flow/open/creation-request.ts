import type { CreateSessionRequest } from '../../../../shared/contract/control-api.ts'
import type { Names } from '../../domain/naming.ts'
import type { Recording } from '../../journal/journal.ts'

/** The request that creates a recording's session (§4.1). The journal keeps it from before sending until its answer. */

/** The opener drops the key of a refused request and keeps its body. */
export const wasRefused = ({ createKey, createBody }: Recording): boolean =>
  createKey === null && createBody !== null

const requestOf = (recording: Recording, { site, device, notes }: Names): CreateSessionRequest => {
  if (recording.sha256 === null || recording.partSize === null) throw new Error('ready without digests')
  return {
    site,
    filename: recording.name,
    bytes: recording.identity.sizeBytes,
    sha256: recording.sha256,
    part_size: recording.partSize,
    ...(device === null ? {} : { device }),
    ...(notes === null ? {} : { notes }),
  }
}

export const bodyOf = (...of: Parameters<typeof requestOf>): string => JSON.stringify(requestOf(...of))

/** False if the recording has changed or moved on since the request, which is then no longer its own. */
export const isUnchanged = (now: Recording | null, { createKey, sha256 }: Recording): boolean =>
  now?.state === 'ready' && now.createKey === createKey && now.sha256 === sha256
