/** A security descriptor in Windows' format, for tests on every system. */

export const ADMINISTRATORS = 'S-1-5-32-544'
export const SYSTEM = 'S-1-5-18'
export const EVERYONE = 'S-1-1-0'
export const MALLORY = 'S-1-5-21-1-2-3-1001'
export const SELF = 'S-1-5-21-1-2-3-1002'

/** Access masks. */
export const FULL = 0x001f_01ff
export const MODIFY = 0x0013_01bf
export const READ = 0x0012_0089

type Entry = {
  readonly sid: string
  readonly mask: number
  readonly type?: number
  readonly flags?: number
}

const encodeSid = (sid: string): Buffer => {
  const [revision = 1, authority = 0, ...parts] = sid.split('-').slice(1).map(Number)
  const bytes = Buffer.alloc(8 + 4 * parts.length)
  bytes.writeUInt8(revision, 0)
  bytes.writeUInt8(parts.length, 1)
  bytes.writeUIntBE(authority, 2, 6)
  for (const [n, part] of parts.entries()) bytes.writeUInt32LE(part, 8 + 4 * n)
  return bytes
}

const encodeEntry = ({ sid, mask, type = 0, flags = 0 }: Entry): Buffer => {
  const sidField = encodeSid(sid)
  const head = Buffer.alloc(8)
  head.writeUInt8(type, 0)
  head.writeUInt8(flags, 1)
  head.writeUInt16LE(8 + sidField.length, 2)
  head.writeUInt32LE(mask >>> 0, 4)
  return Buffer.concat([head, sidField])
}

export const encodeSecurityDescriptor = (owner: string, entries: readonly Entry[] | null): Buffer => {
  const header = Buffer.alloc(20)
  const ownerSid = encodeSid(owner)
  header.writeUInt8(1, 0)
  header.writeUInt16LE(entries === null ? 0x8000 : 0x8004, 2)
  header.writeUInt32LE(20, 4)
  if (entries === null) return Buffer.concat([header, ownerSid])
  header.writeUInt32LE(20 + ownerSid.length, 16)
  const list = Buffer.concat(entries.map(encodeEntry))
  const acl = Buffer.alloc(8)
  acl.writeUInt8(2, 0)
  acl.writeUInt16LE(8 + list.length, 2)
  acl.writeUInt16LE(entries.length, 4)
  return Buffer.concat([header, ownerSid, acl, list])
}
