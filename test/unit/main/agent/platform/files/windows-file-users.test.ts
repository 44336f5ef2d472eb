import { describe, expect, it } from 'vitest'
import {
  createFileUsers,
  type NativeCalls,
} from '../../../../../../main/agent/platform/files/windows-file-users.ts'

/** The size of RM_PROCESS_INFO, which is the same on 64-bit and 32-bit Windows. */
const infoBytes = 12 + 2 * 256 + 2 * 64 + 4 * 4
const ERROR_MORE_DATA = 234

/** Fills the caller's buffers like the real functions. Counts the open sessions, and records the arguments. */
const nativeWith = (options: {
  readonly pids?: readonly (readonly number[])[]
  readonly answers?: Partial<Record<'start' | 'register' | 'list', number>>
  readonly handle?: number
}) => {
  const rounds = [...(options.pids ?? [[]])]
  const usage = {
    open: 0,
    started: 0,
    files: [] as string[],
    handles: [] as number[],
    roots: [] as string[],
  }
  const { answers = {} } = options
  const native: NativeCalls = {
    startSession: async (session, flags, key) => {
      expect([session.length, flags, key.length]).toEqual([4, 0, 66])
      if (answers.start !== undefined) return answers.start
      usage.open += 1
      usage.started += 1
      session.writeUInt32LE(0xdeadbeef)
      return 0
    },
    registerFiles: async (session, count, paths) => {
      expect([session, count]).toEqual([0xdeadbeef, paths.length])
      usage.files.push(...paths)
      return answers.register ?? 0
    },
    list: async (_session, needed, count, infos) => {
      if (answers.list !== undefined) return answers.list
      const pids = (rounds.length > 1 ? rounds.shift() : rounds[0]) ?? []
      const capacity = count.readUInt32LE()
      expect(infos).toHaveLength(capacity * infoBytes)
      needed.writeUInt32LE(pids.length)
      if (pids.length > capacity) return ERROR_MORE_DATA
      count.writeUInt32LE(pids.length)
      for (const [n, pid] of pids.entries()) infos.writeUInt32LE(pid, n * infoBytes)
      return 0
    },
    endSession: async () => {
      usage.open -= 1
      return 0
    },
    createFile: async (_path, access, share, _security, disposition) => {
      // Opens an existing file for reading. Shares it for reading and deletion, but not for writing.
      expect([access, share, disposition]).toEqual([0x8000_0000, 0x5, 3])
      return options.handle ?? -1
    },
    closeHandle: async (handle) => {
      usage.handles.push(handle)
      return 1
    },
    driveType: async (root) => {
      usage.roots.push(root)
      return root.startsWith('\\\\') || root.startsWith('N:') ? 4 : 3
    },
  }
  return { users: createFileUsers(native), usage }
}

describe('listing the processes that have files open, through the Restart Manager', () => {
  it('returns process IDs, and uses one session that it closes afterwards', async () => {
    const { users, usage } = nativeWith({ pids: [[4, 4_000_000_000, 77]] })
    expect(await users.pidsOf(['C:\\a', 'C:\\b'])).toEqual([4, 4_000_000_000, 77])
    expect(usage).toMatchObject({ open: 0, started: 1, files: ['C:\\a', 'C:\\b'] })
  })

  it('requests the list again with a larger buffer if the first buffer is too small', async () => {
    const pidRange = (length: number) => Array.from({ length }, (_, n) => n + 1)
    const { users } = nativeWith({ pids: [pidRange(20), pidRange(30), pidRange(30)] })
    expect(await users.pidsOf(['C:\\a'])).toEqual(pidRange(30))
  })

  it.each([
    ['start', 'RmStartSession failed with code 353'],
    ['register', 'RmRegisterResources failed with code 353'],
    ['list', 'RmGetList failed with code 353'],
  ] as const)('throws if the call `%s` fails, and leaves no session open', async (failingCall, message) => {
    const { users, usage } = nativeWith({ answers: { [failingCall]: 353 } })
    await expect(users.pidsOf(['C:\\a'])).rejects.toThrow(message)
    expect(usage.open).toBe(0)
  })
})

it('a file has a writer if opening it without write sharing fails; if it succeeds, Sluice closes the handle', async () => {
  expect(await nativeWith({ handle: -1 }).users.hasWriter('C:\\a')).toBe(true)
  const { users, usage } = nativeWith({ handle: 212 })
  expect(await users.hasWriter('C:\\a')).toBe(false)
  expect(usage.handles).toEqual([212])
})

it.each([
  ['C:\\rec\\take.bin', 'C:\\', false],
  ['N:\\take.bin', 'N:\\', true],
  ['\\\\server\\share\\rec\\take.bin', '\\\\server\\share\\', true],
])('the file %s is on the drive %s; remote: %s', async (file, root, isRemote) => {
  const { users, usage } = nativeWith({})
  expect(await users.isRemote(file)).toBe(isRemote)
  expect(usage.roots).toEqual([root])
})
