import { loadLibrary, type NativeLibrary } from './native-library.ts'

/**
 * Controls read-ahead for an open file. Linux reads megabytes ahead in the background, so a fast read may still cost
 * much time of the drive. On other systems, both functions do nothing.
 */
export type ReadAhead = {
  /** On: the system's default read-ahead. Off: only the requested bytes. */
  readonly set: (on: boolean) => void
  /**
   * Drops bytes that were read ahead. If Sluice read them later, the system would read ahead again, even after
   * `set(false)`.
   */
  readonly drop: (from: number, bytes: number) => void
}

const advice = { normal: 0, random: 1, notNeeded: 4 } as const

type Advise = (...args: readonly unknown[]) => unknown

export const createReadAhead = (
  platform: NodeJS.Platform = process.platform,
  load: (library: string) => NativeLibrary = loadLibrary,
): ((fd: number) => ReadAhead) => {
  let native: Advise | null = platform === 'linux' ? null : () => {}
  const advise: Advise = (...args) => {
    try {
      native ??= load('libc.so.6').func('int posix_fadvise(int fd, long offset, long length, int advice)')
      native(...args)
    } catch {
      native = () => {}
    }
  }
  return (fd) => {
    let isOn = true
    return {
      set: (on) => {
        if (on === isOn) return
        isOn = on
        advise(fd, 0, 0, on ? advice.normal : advice.random)
      },
      drop: (from, bytes) => void advise(fd, from, bytes, advice.notNeeded),
    }
  }
}
