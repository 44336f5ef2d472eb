/** One entry of a Windows access list. */
export type AccessEntry = {
  readonly sid: string
  /** The allowed rights. Sluice ignores entries that deny rights, so `mask` may have too many rights, never too few. */
  readonly mask: number
}

/** The owner of a Windows file or folder, and the rights of each account. */
export type WindowsRights = {
  readonly owner: string
  /** Null if there is no access list: then everybody may do everything. */
  readonly allowed: readonly AccessEntry[] | null
}

const HEADER_BYTES = 20
const OWNER_AT = 4
const DACL_AT = 16
const HAS_DACL = 0x0004
const ACL_HEADER_BYTES = 8
/** Entry types that allow rights and have the SID right after the mask. */
const SID_AFTER_MASK: ReadonlySet<number> = new Set([0x00, 0x09])
const SID_AFTER_OBJECT: ReadonlySet<number> = new Set([0x05, 0x0b])
/** Denials, audits, labels and similar types: they allow nothing. */
const DENIES_OR_AUDITS: ReadonlySet<number> = new Set([
  0x01, 0x02, 0x03, 0x06, 0x07, 0x08, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14,
])
/** Applies to new items inside the folder, not to the folder itself. */
const INHERIT_ONLY = 0x08

export const readSid = (bytes: Buffer, at = 0): string => {
  const parts = bytes.readUInt8(at + 1)
  const authority = bytes.readUIntBE(at + 2, 6)
  const numbers = Array.from({ length: parts }, (_, n) => bytes.readUInt32LE(at + 8 + 4 * n))
  return ['S', bytes.readUInt8(at), authority, ...numbers].join('-')
}

/**
 * Null for an entry that allows nothing. Throws if the type is unknown, because such an entry may allow anything.
 */
const readEntry = (bytes: Buffer, at: number): AccessEntry | null => {
  const type = bytes.readUInt8(at)
  const mask = bytes.readUInt32LE(at + 4)
  if ((bytes.readUInt8(at + 1) & INHERIT_ONLY) !== 0) return null
  if (SID_AFTER_MASK.has(type)) return { sid: readSid(bytes, at + 8), mask }
  if (SID_AFTER_OBJECT.has(type)) {
    const present = bytes.readUInt32LE(at + 8)
    return { sid: readSid(bytes, at + 12 + (present & 1 ? 16 : 0) + (present & 2 ? 16 : 0)), mask }
  }
  if (DENIES_OR_AUDITS.has(type)) return null
  throw new Error(`an entry of type ${type} is unknown`)
}

/**
 * Parses a self-relative security descriptor of Windows. Throws if it is incomplete, or if it has an entry of an
 * unknown type.
 */
export const readSecurityDescriptor = (bytes: Buffer): WindowsRights => {
  const ownerAt = bytes.readUInt32LE(OWNER_AT)
  if (ownerAt < HEADER_BYTES) throw new Error('it names no owner')
  const owner = readSid(bytes, ownerAt)
  const daclAt = bytes.readUInt32LE(DACL_AT)
  if ((bytes.readUInt16LE(2) & HAS_DACL) === 0 || daclAt === 0) return { owner, allowed: null }
  const allowed: AccessEntry[] = []
  let at = daclAt + ACL_HEADER_BYTES
  for (let left = bytes.readUInt16LE(daclAt + 4); left > 0; left -= 1) {
    const size = bytes.readUInt16LE(at + 2)
    if (size < ACL_HEADER_BYTES || at + size > bytes.length) throw new Error('its access list is broken')
    const entry = readEntry(bytes, at)
    if (entry !== null) allowed.push(entry)
    at += size
  }
  return { owner, allowed }
}
