import { constants, copyFileSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPlainFile } from './plain-file.ts'

/**
 * On Windows, a program that reads a file, such as a virus scanner or a backup, blocks the rename, replacement and
 * removal of that file. Most such programs finish within a second, so Sluice retries a refused step for a short time.
 */
export type FileSteps = {
  readonly rename: (from: string, to: string) => void
  /** Does nothing if the file is missing. */
  readonly remove: (file: string) => void
  readonly copy: (from: string, to: string) => void
  /** Creates a new file, or replaces the old one. Only the owner may read it. */
  readonly openToWrite: (file: string) => number
  /** Blocks the thread. Only for callers without other work. */
  readonly pause: (ms: number) => void
  readonly pauseAsync: (ms: number) => Promise<unknown>
}

export const fileSteps: FileSteps = {
  rename: renameSync,
  remove: (file) => rmSync(file, { force: true }),
  copy: (from, to) => {
    rmSync(to, { force: true })
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  },
  openToWrite: createPlainFile,
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  pauseAsync: (ms) => sleep(ms),
}

const RETRY_DELAYS_MS = [10, 20, 40, 80, 160, 320, 640]
const inUseCodes: readonly unknown[] = ['EBUSY', 'EPERM', 'EACCES']

/** Also true if access is denied: Windows uses the same codes for both cases. */
export const isFileInUse = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && inUseCodes.includes((error as NodeJS.ErrnoException).code)

const throwUnlessInUse = (error: unknown): void => {
  if (!isFileInUse(error)) throw error
}

export const retryWhileInUse = <T>(act: () => T, steps: Pick<FileSteps, 'pause'>): T => {
  for (const ms of RETRY_DELAYS_MS) {
    try {
      return act()
    } catch (error) {
      throwUnlessInUse(error)
    }
    steps.pause(ms)
  }
  return act()
}

/** Like `retryWhileInUse`, for callers that must not block the thread. */
export const retryWhileInUseAsync = async <T>(
  act: () => T,
  steps: Pick<FileSteps, 'pauseAsync'>,
): Promise<T> => {
  for (const ms of RETRY_DELAYS_MS) {
    try {
      return act()
    } catch (error) {
      throwUnlessInUse(error)
    }
    await steps.pauseAsync(ms)
  }
  return act()
}
