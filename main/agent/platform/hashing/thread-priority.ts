import { setPriority } from 'node:os'
import { windowsSystemFile } from '../../../../shared/paths/system-files.ts'
import { loadLibrary, type NativeLibrary } from './native-library.ts'

/**
 * Recorder first, where two threads want the same at the same moment: the system serves the recorder. All of it is
 * a wish; where it is refused, or the library for native calls is not there, the threads still rest.
 */
export type ThreadPriority = {
  /** A recorder is at work, or no longer. Cheap where nothing changes. */
  readonly setBackground: (on: boolean) => void
  /** Whether the system gives the processor to others first by itself, so that no time has to be left to them. */
  readonly leavesProcessor: () => boolean
}

/** Sets how this thread reads from now on; true where the system agreed. */
type SetBackground = (on: boolean) => boolean

type System = {
  readonly platform: NodeJS.Platform
  readonly arch: NodeJS.Architecture
  readonly load: (library: string) => NativeLibrary
  readonly setPriority: (pid: number, priority: number) => void
}

/** A tenth of what an ordinary thread gets of a processor that both want. It cannot be taken back without rights. */
const lowNice = 10

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

const attempt = <T>(work: () => T, otherwise: T): T => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

const here: System = {
  platform: process.platform,
  arch: process.arch,
  load: loadLibrary,
  setPriority,
}

/** For the thread that calls it. */
export const createThreadPriority = (system: System = here): ThreadPriority => {
  // Linux knows this for each thread; elsewhere it would be the whole agent, with what the window waits for.
  const isNice =
    system.platform === 'linux' &&
    attempt(() => {
      system.setPriority(0, lowNice)
      return true
    }, false)
  let set: SetBackground | null = null
  let isBackground = false
  let agreed = false
  return {
    setBackground: (on) => {
      if (on === isBackground) return
      isBackground = on
      set ??= attempt(
        () => backgroundOf(system),
        () => false,
      )
      const ask = set
      agreed = attempt(() => ask(on), false)
    },
    // Windows' background mode is about the processor too.
    leavesProcessor: () => isNice || (system.platform === 'win32' && isBackground && agreed),
  }
}
