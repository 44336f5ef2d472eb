import { setPriority } from 'node:os'
import { windowsSystemFile } from '../../../../shared/paths/system-files.ts'
import { loadLibrary, type NativeLibrary } from './native-library.ts'

/**
 * Lowers the priority of this thread, so that the system prefers a recorder. If this fails, the thread still rests
 * between reads.
 */
export type ThreadPriority = {
  /** Call it with true while a recorder writes. A call that changes nothing is cheap. */
  readonly setBackground: (on: boolean) => void
  readonly hasLowPriority: () => boolean
}

/** With true, lowers the I/O priority of this thread; with false, restores it. Returns true if the system agreed. */
type SetBackground = (on: boolean) => boolean

type System = {
  readonly platform: NodeJS.Platform
  readonly arch: NodeJS.Architecture
  readonly load: (library: string) => NativeLibrary
  readonly setPriority: (pid: number, priority: number) => void
}

/**
 * On a busy processor, the thread gets a tenth of the usual share. This is permanent: raising the priority again needs
 * privileges.
 */
const LOW_NICE = 10

const ioprioSet: Partial<Record<NodeJS.Architecture, number>> = { x64: 251, arm64: 30 }
const thisThread = { whichProcess: 1, self: 0 } as const
const ioClassShift = 13
const ioClass = { none: 0, idle: 3 } as const

const linuxBackground = ({ arch, load }: System): SetBackground => {
  const number = ioprioSet[arch]
  if (number === undefined) return () => false
  const syscall = load('libc.so.6').func('long syscall(long number, long which, long who, long value)')
  return (on) =>
    Number(
      syscall(
        number,
        thisThread.whichProcess,
        thisThread.self,
        (on ? ioClass.idle : ioClass.none) << ioClassShift,
      ),
    ) === 0
}

const windowsBackground = ({ load }: System): SetBackground => {
  const kernel = load(windowsSystemFile('kernel32.dll', process.env))
  const current = kernel.func('void * __stdcall GetCurrentThread()')
  const set = kernel.func('int32_t __stdcall SetThreadPriority(void *thread, int32_t priority)')
  const mode = { begin: 0x0001_0000, end: 0x0002_0000 } as const
  return (on) => set(current(), on ? mode.begin : mode.end) !== 0
}

const macBackground = ({ load }: System): SetBackground => {
  const set = load('/usr/lib/libSystem.B.dylib').func('int setiopolicy_np(int type, int scope, int policy)')
  const disk = 0
  const thread = 1
  const policy = { usual: 0, throttle: 3 } as const
  return (on) => set(disk, thread, on ? policy.throttle : policy.usual) === 0
}

const backgroundOf = (system: System): SetBackground => {
  switch (system.platform) {
    case 'linux':
      return linuxBackground(system)
    case 'win32':
      return windowsBackground(system)
    case 'darwin':
      return macBackground(system)
    default:
      return () => false
  }
}

const attempt = <T>(work: () => T, fallback: T): T => {
  try {
    return work()
  } catch {
    return fallback
  }
}

const thisSystem: System = {
  platform: process.platform,
  arch: process.arch,
  load: loadLibrary,
  setPriority,
}

export const createThreadPriority = (system: System = thisSystem): ThreadPriority => {
  // Only on Linux, `setPriority` changes just the calling thread, not the whole agent.
  const isNice =
    system.platform === 'linux' &&
    attempt(() => {
      system.setPriority(0, LOW_NICE)
      return true
    }, false)
  let set: SetBackground | null = null
  let isBackground = false
  let hasAgreed = false
  return {
    setBackground: (on) => {
      if (on === isBackground) return
      isBackground = on
      set ??= attempt(
        () => backgroundOf(system),
        () => false,
      )
      const setNow = set
      hasAgreed = attempt(() => setNow(on), false)
    },
    // The background mode of Windows covers the processor too.
    hasLowPriority: () => isNice || (system.platform === 'win32' && isBackground && hasAgreed),
  }
}
