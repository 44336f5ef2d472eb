import { loadLibrary, type NativeLibrary } from './native-library.ts'

/**
 * How much the system fetches of an open file. Linux fetches megabytes ahead and nobody waits for them, so the time that
 * a read took does not say what it took from the drive. All of it is a wish: where it is refused, all is as it was.
 */
export type ReadAhead = {
  /** As much ahead as the system likes, or only what is asked for. */
  readonly set: (on: boolean) => void
  /** What was fetched ahead carries a mark that has the system fetch on, whatever it was told: it has to go. */
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
