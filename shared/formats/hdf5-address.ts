import { DamagedError } from './bounded-reader.ts'

const undefinedAddress = 0xffff_ffff_ffff_ffffn

/** Reads an address or a length of 64 bits. Infinity for the undefined address, which means that nothing is stored. */
export function addressOf(bytes: Buffer, at: number): number {
  if (at + 8 > bytes.length) throw new DamagedError('A structure of the file is too short.')
  const address = bytes.readBigUInt64LE(at)
  if (address === undefinedAddress) return Number.POSITIVE_INFINITY
  if (address > BigInt(Number.MAX_SAFE_INTEGER)) throw new DamagedError('An address of the file is invalid.')
  return Number(address)
}

/** Reads a number of one to eight bytes. The structures for large groups have such numbers. */
export function numberOf(bytes: Buffer, at: number, length: number): number {
  if (length < 1 || length > 8 || at + length > bytes.length)
    throw new DamagedError('A structure of the file is too short.')
  let value = 0
  for (let index = length - 1; index >= 0; index -= 1) value = value * 256 + bytes[at + index]!
  if (!Number.isSafeInteger(value)) throw new DamagedError('A number of the file is too large.')
  return value
}

/** How many bytes HDF5 uses for a number up to `limit`. */
export const bytesForLimit = (limit: number): number => Math.floor(Math.log2(Math.max(1, limit)) / 8) + 1
