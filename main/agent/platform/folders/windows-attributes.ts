import type { Log } from '../../ports/clock.ts'
import type { NativeCalls } from '../files/windows-file-users.ts'

/** Functions of kernel32.dll and ntdll.dll, with the arguments and results that Windows documents. */
export type DirectoryCalls = Pick<NativeCalls, 'createFile' | 'closeHandle'> & {
  /**
   * Calls NtQueryDirectoryFile, which returns its status. Functions of kernel32.dll need `GetLastError` on the same
   * thread, but koffi calls them on a different thread.
   */
  readonly queryDirectory: (
    handle: number,
    event: null,
    routine: null,
    context: null,
    block: Buffer,
    entries: Buffer,
    length: number,
    informationClass: number,
    single: 0,
    name: null,
    restart: 0,
  ) => Promise<number>
}

/** Entries that Windows hides from users. */
export type HiddenEntries = {
  /** Hidden and system: Explorer's "protected operating system files". */
  readonly protected: ReadonlySet<string>
  readonly hidden: ReadonlySet<string>
}

/** Returns the names of the hidden entries directly inside the folder. Null if Windows cannot list the folder. */
export type ListHidden = (folder: string) => Promise<HiddenEntries | null>

const LIST_DIRECTORY_ACCESS = 0x1
const shareAll = 0x7
const openExisting = 3
/** Windows opens a folder only with this flag. */
const backupSemantics = 0x0200_0000
const fullDirectoryInformation = 2
const noMoreFiles = 0x8000_0006
/** About 600 entries per call. */
const BUFFER_BYTES = 65_536

/** Offsets in FILE_FULL_DIR_INFORMATION. */
const attributesOffset = 56
const nameLengthOffset = 60
const nameOffset = 68

const HIDDEN = 0x2
const SYSTEM = 0x4

export const createListHidden = (native: DirectoryCalls): ListHidden => {
  const read = async (handle: number): Promise<HiddenEntries | null> => {
    const entries = { protected: new Set<string>(), hidden: new Set<string>() }
    const [block, buffer] = [Buffer.alloc(16), Buffer.alloc(BUFFER_BYTES)]
    for (;;) {
      const status = await native.queryDirectory(
        handle,
        null,
        null,
        null,
        block,
        buffer,
        BUFFER_BYTES,
        fullDirectoryInformation,
        0,
        null,
        0,
      )
      if (status >>> 0 === noMoreFiles) return entries
      if (status !== 0) return null
      addHidden(buffer, entries)
    }
  }
  return async (folder) => {
    const handle = await native.createFile(
      folder,
      LIST_DIRECTORY_ACCESS,
      shareAll,
      null,
      openExisting,
      backupSemantics,
      null,
    )
    if (handle === -1) return null
    try {
      return await read(handle)
    } finally {
      await native.closeHandle(handle)
    }
  }
}

const addHidden = (buffer: Buffer, entries: { protected: Set<string>; hidden: Set<string> }): void => {
  for (let offset = 0; ; ) {
    const attributes = buffer.readUInt32LE(offset + attributesOffset)
    if ((attributes & HIDDEN) !== 0) {
      const end = offset + nameOffset + buffer.readUInt32LE(offset + nameLengthOffset)
      const name = buffer.toString('utf16le', offset + nameOffset, end)
      ;(attributes & SYSTEM) === 0 ? entries.hidden.add(name) : entries.protected.add(name)
    }
    const nextEntryBytes = buffer.readUInt32LE(offset)
    if (nextEntryBytes === 0) return
    offset += nextEntryBytes
  }
}

/** If the functions of Windows cannot be loaded, the scan treats every entry as visible. */
export const listHiddenOnceLoaded = (load: () => Promise<ListHidden>, log: Pick<Log, 'warn'>): ListHidden => {
  const loading = load().catch((error: unknown) => {
    log.warn('cannot detect hidden files on this PC', { reason: String(error) })
    return null
  })
  return async (folder) => (await loading)?.(folder) ?? null
}
