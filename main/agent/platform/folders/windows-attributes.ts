import type { Log } from '../../ports/clock.ts'
import type { NativeCalls } from '../files/windows-file-users.ts'

/** Functions of kernel32.dll and ntdll.dll, with the arguments and answers that Windows documents. */
export type DirectoryCalls = Pick<NativeCalls, 'createFile' | 'closeHandle'> & {
  /** NtQueryDirectoryFile: its answer is the status itself, while the last error of another thread cannot be asked. */
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

/** What Windows marks an entry with, for those that it hides from people. */
export type HiddenEntries = {
  /** Hidden and system: Explorer's "protected operating system files". */
  readonly protected: ReadonlySet<string>
  readonly hidden: ReadonlySet<string>
}

/** By the name inside the folder. Null where it cannot be told. */
export type ListHidden = (folder: string) => Promise<HiddenEntries | null>

const listDirectory = 0x1
const shareAll = 0x7
const openExisting = 3
/** Without it no folder is opened. */
const backupSemantics = 0x0200_0000
const fullDirectoryInformation = 2
const noMoreFiles = 0x8000_0006
/** Some 600 entries in one call. */
const roomBytes = 65_536

/** FILE_FULL_DIR_INFORMATION. */
const attributesAt = 56
const nameLengthAt = 60
const nameAt = 68

const HIDDEN = 0x2
const SYSTEM = 0x4

export const createListHidden = (native: DirectoryCalls): ListHidden => {
  const read = async (handle: number): Promise<HiddenEntries | null> => {
    const found = { protected: new Set<string>(), hidden: new Set<string>() }
    const [block, room] = [Buffer.alloc(16), Buffer.alloc(roomBytes)]
    for (;;) {
      const status = await native.queryDirectory(
        handle,
        null,
        null,
        null,
        block,
        room,
        roomBytes,
        fullDirectoryInformation,
        0,
        null,
        0,
      )
      if (status >>> 0 === noMoreFiles) return found
      if (status !== 0) return null
      sortEntries(room, found)
    }
  }
  return async (folder) => {
    const handle = await native.createFile(
      folder,
      listDirectory,
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

const sortEntries = (room: Buffer, found: { protected: Set<string>; hidden: Set<string> }): void => {
  for (let at = 0; ; ) {
    const attributes = room.readUInt32LE(at + attributesAt)
    if ((attributes & HIDDEN) !== 0) {
      const end = at + nameAt + room.readUInt32LE(at + nameLengthAt)
      const name = room.toString('utf16le', at + nameAt, end)
      ;(attributes & SYSTEM) === 0 ? found.hidden.add(name) : found.protected.add(name)
    }
    const next = room.readUInt32LE(at)
    if (next === 0) return
    at += next
  }
}

/** Where the library is not there, every entry counts as one that is shown, as before. */
export const lazyListHidden = (load: () => Promise<ListHidden>, log: Pick<Log, 'warn'>): ListHidden => {
  const loading = load().catch((error: unknown) => {
    log.warn('hidden files cannot be told from others on this PC', { reason: String(error) })
    return null
  })
  return async (folder) => (await loading)?.(folder) ?? null
}
