import { readFileSync } from 'node:fs'

/** The index of the resource table among the data directories of the file header. */
const RESOURCE_DIRECTORY = 2
const X64 = 0x8664
/** Electron puts its fuses after this mark, so that tools can find the fuses in the finished program. */
const FUSE_MARK = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

export type Resource = {
  readonly type: string | number
  readonly name: string | number
  readonly data: Buffer
}

/** True if the file begins like a 64-bit program or library of Windows. */
export const isWindowsX64 = (file: string): boolean => {
  const bytes = readFileSync(file)
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return false
  const header = bytes.readUInt32LE(0x3c)
  return bytes.toString('latin1', header, header + 4) === 'PE\0\0' && bytes.readUInt16LE(header + 4) === X64
}

/** Reads the resources of a program, such as version and icons, without the tool that wrote them. */
export const resourcesOf = (file: string): readonly Resource[] => {
  const bytes = readFileSync(file)
  const header = bytes.readUInt32LE(0x3c)
  const optional = header + 24
  const sections = Array.from({ length: bytes.readUInt16LE(header + 6) }, (_, index) => {
    const at = optional + bytes.readUInt16LE(header + 20) + index * 40
    return {
      start: bytes.readUInt32LE(at + 12),
      bytes: bytes.readUInt32LE(at + 16),
      at: bytes.readUInt32LE(at + 20),
    }
  })
  const offsetOf = (address: number): number => {
    const section = sections.find(({ start, bytes: length }) => address >= start && address < start + length)
    if (section === undefined) throw new Error(`no section of ${file} contains the address ${address}`)
    return section.at + address - section.start
  }
  const base = offsetOf(bytes.readUInt32LE(optional + 112 + RESOURCE_DIRECTORY * 8))
  const entries = (folder: number) =>
    Array.from({ length: bytes.readUInt16LE(folder + 12) + bytes.readUInt16LE(folder + 14) }, (_, index) => {
      const at = folder + 16 + index * 8
      const to = bytes.readUInt32LE(at + 4)
      return { name: nameAt(bytes.readUInt32LE(at)), at: base + (to & 0x7fffffff) }
    })
  const nameAt = (value: number): string | number => {
    if (value < 0x80000000) return value
    const at = base + (value & 0x7fffffff)
    return bytes.toString('utf16le', at + 2, at + 2 + 2 * bytes.readUInt16LE(at))
  }
  return entries(base).flatMap((type) =>
    entries(type.at).flatMap((name) =>
      entries(name.at).map((language) => {
        const start = offsetOf(bytes.readUInt32LE(language.at))
        const data = bytes.subarray(start, start + bytes.readUInt32LE(language.at + 4))
        return { type: type.name, name: name.name, data }
      }),
    ),
  )
}

/** A text of the version resource, such as `ProductName`. */
export const versionText = (resources: readonly Resource[], name: string): string | null => {
  const version = resources.find(({ type }) => type === 16)?.data
  // In a text value, the type 1 comes directly before the name.
  const at = version?.indexOf(Buffer.from(`\u0001${name}\0`, 'utf16le')) ?? -1
  if (version === undefined || at === -1) return null
  // The value begins at the next multiple of four.
  const start = (at + 2 * (name.length + 2) + 3) & ~3
  return version.toString('utf16le', start).split('\0')[0] ?? null
}

/** The fuses in Electron's order. `0` is off, `1` is on. */
export const fusesOf = (file: string): string => {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(FUSE_MARK) + FUSE_MARK.length
  return bytes.toString('latin1', at + 2, at + 2 + bytes.readUInt8(at + 1))
}

export const picturesOf = (file: string): readonly Buffer[] => {
  const bytes = readFileSync(file)
  return Array.from({ length: bytes.readUInt16LE(4) }, (_, index) => {
    const at = 6 + index * 16
    const start = bytes.readUInt32LE(at + 12)
    return bytes.subarray(start, start + bytes.readUInt32LE(at + 8))
  })
}
