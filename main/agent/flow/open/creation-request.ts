import type { CreateSessionRequest } from '../../../../shared/contract/control-api.ts'
import type { Names } from '../../domain/naming.ts'
import type { Recording } from '../../journal/journal.ts'

/** The request that makes a recording's session (§4.1), as it is kept from before it is sent until it is answered. */

/** A body without a key was refused. */
export const wasRefused = ({ createKey, createBody }: Recording): boolean =>
  createKey === null && createBody !== null

const creationOf = (recording: Recording, { site, device, notes }: Names): CreateSessionRequest => {
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

export const bodyOf = (...of: Parameters<typeof creationOf>): string => JSON.stringify(creationOf(...of))

/** Other content by now, or elsewhere: what was asked for is not its own. */
export const isStill = (now: Recording | null, { createKey, sha256 }: Recording): boolean =>
  now?.state === 'ready' && now.createKey === createKey && now.sha256 === sha256
