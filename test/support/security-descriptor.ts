/** A security descriptor in Windows' format, for tests on every system. */

type Entry = {
  readonly sid: string
  readonly mask: number
  readonly type?: number
  readonly flags?: number
}

const sidBytes = (sid: string): Buffer => {
  const [revision = 1, authority = 0, ...parts] = sid.split('-').slice(1).map(Number)
  const bytes = Buffer.alloc(8 + 4 * parts.length)
  bytes.writeUInt8(revision, 0)
  bytes.writeUInt8(parts.length, 1)
  bytes.writeUIntBE(authority, 2, 6)
  for (const [n, part] of parts.entries()) bytes.writeUInt32LE(part, 8 + 4 * n)
  return bytes
}

const entryBytes = ({ sid, mask, type = 0, flags = 0 }: Entry): Buffer => {
  const sidField = sidBytes(sid)
  const head = Buffer.alloc(8)
  head.writeUInt8(type, 0)
  head.writeUInt8(flags, 1)
  head.writeUInt16LE(8 + sidField.length, 2)
  head.writeUInt32LE(mask >>> 0, 4)
  return Buffer.concat([head, sidField])
}

export const securityDescriptor = (owner: string, entries: readonly Entry[] | null): Buffer => {
  const header = Buffer.alloc(20)
  const ownerSid = sidBytes(owner)
  header.writeUInt8(1, 0)
  header.writeUInt16LE(entries === null ? 0x8000 : 0x8004, 2)
  header.writeUInt32LE(20, 4)
  if (entries === null) return Buffer.concat([header, ownerSid])
  header.writeUInt32LE(20 + ownerSid.length, 16)
  const list = Buffer.concat(entries.map(entryBytes))
  const acl = Buffer.alloc(8)
  acl.writeUInt8(2, 0)
  acl.writeUInt16LE(8 + list.length, 2)
  acl.writeUInt16LE(entries.length, 4)
  return Buffer.concat([header, ownerSid, acl, list])
}
