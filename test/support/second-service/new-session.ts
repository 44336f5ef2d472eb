import { badParameter, type ServiceError } from './answer.ts'
import type { NewSession } from './session-store.ts'

const defaultPartSize = 64_000_000

/** Validates the body of a request that creates a session (§4.1). */
export const parseNewSession = (body: Readonly<Record<string, unknown>>): NewSession | ServiceError => {
  const { site, filename, bytes, sha256, part_size = defaultPartSize, device, notes } = body
  if (typeof site !== 'string' || site === '') return badParameter('site', 'site is required.')
  if (typeof filename !== 'string' || filename === '')
    return badParameter('filename', 'filename is required.')
  if (!Number.isInteger(bytes) || (bytes as number) < 1)
    return badParameter('bytes', 'bytes must be an integer of at least 1.')
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    return badParameter('sha256', 'sha256 must be 64 lowercase hex digits.')
  if (
    !Number.isInteger(part_size) ||
    (part_size as number) < 8_000_000 ||
    (part_size as number) > 536_870_912
  )
    return badParameter('part_size', 'part_size must be an integer from 8 MB to 512 MiB.')
  if (device !== undefined && typeof device !== 'string')
    return badParameter('device', 'device must be a string.')
  if (notes !== undefined && typeof notes !== 'string')
    return badParameter('notes', 'notes must be a string.')
  return {
    site,
    filename,
    bytes: bytes as number,
    sha256,
    part_size: part_size as number,
    ...(device === undefined ? {} : { device }),
    ...(notes === undefined ? {} : { notes }),
  }
}
