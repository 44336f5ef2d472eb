import { badParameter, type ServiceError } from './answer.ts'
import type { NewSession } from './session-store.ts'

const defaultPartSize = 64_000_000

/** §4.1: the required fields of a creation. */
export const createInput = (body: Readonly<Record<string, unknown>>): NewSession | ServiceError => {
  const { site, filename, bytes, sha256, part_size = defaultPartSize, device, notes } = body
  if (typeof site !== 'string' || site === '') return badParameter('site', 'site is required.')
  if (typeof filename !== 'string' || filename === '')
    return badParameter('filename', 'filename is required.')
  if (!Number.isInteger(bytes) || (bytes as number) < 1) return badParameter('bytes', 'bytes is an integer.')
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    return badParameter('sha256', 'sha256 is 64 hex digits.')
  if (
    !Number.isInteger(part_size) ||
    (part_size as number) < 8_000_000 ||
    (part_size as number) > 536_870_912
  )
    return badParameter('part_size', 'part_size is 8 MB to 512 MB.')
  if (device !== undefined && typeof device !== 'string') return badParameter('device', 'device is text.')
  if (notes !== undefined && typeof notes !== 'string') return badParameter('notes', 'notes is text.')
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
