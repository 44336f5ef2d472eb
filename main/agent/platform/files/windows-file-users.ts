import path from 'node:path'
import { promisify } from 'node:util'
import koffi from 'koffi'

/** What Windows tells about files that are open. Every question is a native call in a thread of its own. */
export type FileUsers = {
  /** Processes that have one of the files open in whatever way, this one included: what the Restart Manager tells. */
  readonly pidsOf: (paths: readonly string[]) => Promise<readonly number[]>
  /**
   * Whether somebody has it open for writing: opening it to read while sharing it with no writer is refused then. For
   * the moment until it is closed again a new writer would be the one who is refused, so it is asked only about a file
   * that somebody has open, and whose writer, if it has one, is among those.
   */
  readonly hasWriter: (path: string) => Promise<boolean>
  /** On a server, whose other clients nobody here can see. */
  readonly isRemote: (path: string) => Promise<boolean>
}

/** RM_PROCESS_INFO: process id and start time (12), two names (512 and 128), type, status, session, restartable (16). */
const infoBytes = 668
const keyBytes = 2 * (32 + 1)
const moreData = 234
const mostTries = 5
const driveRemote = 4
const genericRead = 0x8000_0000
const shareReadAndDelete = 0x1 | 0x4
const openExisting = 3

const failed = (name: string, code: number) => new Error(`${name} answered ${code}`)

/** Throws where the libraries or their functions are not there. */
export const loadFileUsers = (): FileUsers => {
  const manager = koffi.load('rstrtmgr.dll')
  const kernel = koffi.load('kernel32.dll')
  const native = (library: typeof manager, prototype: string) =>
    promisify(library.func(prototype).async) as (...args: readonly unknown[]) => Promise<number>

  const start = native(manager, 'uint32_t __stdcall RmStartSession(void *session, uint32_t flags, void *key)')
  const register = native(
    manager,
    'uint32_t __stdcall RmRegisterResources(uint32_t session, uint32_t files, const char16_t **names, uint32_t apps, void *app_list, uint32_t services, void *service_list)',
  )
  const list = native(
    manager,
    'uint32_t __stdcall RmGetList(uint32_t session, void *needed, void *count, void *infos, void *reasons)',
  )
  const end = native(manager, 'uint32_t __stdcall RmEndSession(uint32_t session)')
  const create = native(
    kernel,
    'intptr_t __stdcall CreateFileW(const char16_t *name, uint32_t access, uint32_t share, void *security, uint32_t disposition, uint32_t flags, void *template)',
  )
  const close = native(kernel, 'int32_t __stdcall CloseHandle(intptr_t handle)')
  const driveType = native(kernel, 'uint32_t __stdcall GetDriveTypeW(const char16_t *root)')

  /** Processes come and go between two calls, so the room that was needed may be too small a moment later. */
  const listed = async (session: number): Promise<readonly number[]> => {
    const [needed, count, reasons] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.alloc(4)]
    let room = 16
    for (let tries = 0; tries < mostTries; tries += 1) {
      const infos = Buffer.alloc(room * infoBytes)
      count.writeUInt32LE(room)
      const code = await list(session, needed, count, infos, reasons)
      if (code === 0)
        return Array.from({ length: count.readUInt32LE() }, (_, n) => infos.readUInt32LE(n * infoBytes))
      if (code !== moreData) throw failed('RmGetList', code)
      room = needed.readUInt32LE() + 4
    }
    throw failed('RmGetList', moreData)
  }

  const pidsOf = async (paths: readonly string[]): Promise<readonly number[]> => {
    const session = Buffer.alloc(4)
    const started = await start(session, 0, Buffer.alloc(keyBytes))
    if (started !== 0) throw failed('RmStartSession', started)
    const id = session.readUInt32LE()
    try {
      const code = await register(id, paths.length, paths, 0, null, 0, null)
      if (code !== 0) throw failed('RmRegisterResources', code)
      return await listed(id)
    } finally {
      await end(id)
    }
  }

  const hasWriter = async (file: string): Promise<boolean> => {
    const handle = await create(file, genericRead, shareReadAndDelete, null, openExisting, 0, null)
    if (handle === -1) return true
    await close(handle)
    return false
  }

  const isRemote = async (file: string): Promise<boolean> =>
    (await driveType(path.win32.join(path.win32.parse(file).root, '\\'))) === driveRemote

  return { pidsOf, hasWriter, isRemote }
}
