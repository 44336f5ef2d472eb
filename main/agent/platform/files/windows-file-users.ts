import { windowsPaths } from '../../../../shared/paths/paths.ts'
import { FILE_USERS_RETRIES } from '../../domain/retry-limits.ts'

/** Functions of rstrtmgr.dll and kernel32.dll, with the arguments and results that Windows documents. */
export type NativeCalls = {
  readonly startSession: (session: Buffer, flags: number, key: Buffer) => Promise<number>
  readonly registerFiles: (
    session: number,
    count: number,
    paths: readonly string[],
    apps: 0,
    noApps: null,
    services: 0,
    noServices: null,
  ) => Promise<number>
  readonly list: (
    session: number,
    needed: Buffer,
    count: Buffer,
    infos: Buffer,
    reasons: Buffer,
  ) => Promise<number>
  readonly endSession: (session: number) => Promise<number>
  readonly createFile: (
    path: string,
    access: number,
    share: number,
    security: null,
    disposition: number,
    flags: number,
    template: null,
  ) => Promise<number>
  readonly closeHandle: (handle: number) => Promise<number>
  readonly driveType: (root: string) => Promise<number>
}

export type FileUsers = {
  /**
   * The processes that have one of the files open for reading or writing, including this process. Asks the Restart
   * Manager.
   */
  readonly pidsOf: (paths: readonly string[]) => Promise<readonly number[]>
  /**
   * Whether a process has the file open for writing. Opens the file without write sharing, and reports a writer if this
   * fails. Meanwhile, a recorder cannot open the file for writing, so call this only for a file that a process already
   * has open.
   */
  readonly hasWriter: (path: string) => Promise<boolean>
  /** Whether the file is on a server. Other clients of the server are invisible to this PC. */
  readonly isRemote: (path: string) => Promise<boolean>
}

/** The size of RM_PROCESS_INFO: process ID and start time (12), two names (512 and 128), four more fields (16). */
const infoBytes = 668
const keyBytes = 2 * (32 + 1)
const ERROR_MORE_DATA = 234
const driveRemote = 4
const genericRead = 0x8000_0000
const shareReadAndDelete = 0x1 | 0x4
const openExisting = 3

const callError = (name: string, code: number) => new Error(`${name} failed with code ${code}`)

export const createFileUsers = (native: NativeCalls): FileUsers => {
  /** Processes start and end between two calls, so a buffer of the reported size may already be too small. */
  const listPids = async (session: number): Promise<readonly number[]> => {
    const [needed, count, reasons] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.alloc(4)]
    let capacity = 16
    for (let attempt = 0; attempt < FILE_USERS_RETRIES; attempt += 1) {
      const infos = Buffer.alloc(capacity * infoBytes)
      count.writeUInt32LE(capacity)
      const code = await native.list(session, needed, count, infos, reasons)
      if (code === 0)
        return Array.from({ length: count.readUInt32LE() }, (_, n) => infos.readUInt32LE(n * infoBytes))
      if (code !== ERROR_MORE_DATA) throw callError('RmGetList', code)
      capacity = needed.readUInt32LE() + 4
    }
    throw callError('RmGetList', ERROR_MORE_DATA)
  }

  const pidsOf = async (paths: readonly string[]): Promise<readonly number[]> => {
    const session = Buffer.alloc(4)
    const startCode = await native.startSession(session, 0, Buffer.alloc(keyBytes))
    if (startCode !== 0) throw callError('RmStartSession', startCode)
    const id = session.readUInt32LE()
    try {
      const code = await native.registerFiles(id, paths.length, paths, 0, null, 0, null)
      if (code !== 0) throw callError('RmRegisterResources', code)
      return await listPids(id)
    } finally {
      await native.endSession(id)
    }
  }

  const hasWriter = async (file: string): Promise<boolean> => {
    const handle = await native.createFile(file, genericRead, shareReadAndDelete, null, openExisting, 0, null)
    if (handle === -1) return true
    await native.closeHandle(handle)
    return false
  }

  const isRemote = async (file: string): Promise<boolean> =>
    (await native.driveType(windowsPaths.driveOf(file) ?? '')) === driveRemote

  return { pidsOf, hasWriter, isRemote }
}
