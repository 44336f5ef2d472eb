import { constants, copyFileSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPlainFile } from './plain-file.ts'

/**
 * On Windows whoever looks into a file, a virus scanner, an indexer or a backup program, keeps it from being renamed,
 * replaced or removed meanwhile. Most are done within a second: such a refusal is met with a little patience.
 */
export type FileSteps = {
  readonly rename: (from: string, to: string) => void
  /** No error where there is nothing. */
  readonly remove: (file: string) => void
  readonly copy: (from: string, to: string) => void
  /** A new file in its place, for its owner alone. */
  readonly openToWrite: (file: string) => number
  /** Where the caller has nothing else to serve. */
  readonly pause: (ms: number) => void
  readonly pauseBeside: (ms: number) => Promise<unknown>
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
  pauseBeside: (ms) => sleep(ms),
}

const pausesMs = [10, 20, 40, 80, 160, 320, 640]
const heldCodes: readonly unknown[] = ['EBUSY', 'EPERM', 'EACCES']

/** Also where its rights forbid it: Windows gives the same code for both. */
export const isHeld = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && heldCodes.includes((error as NodeJS.ErrnoException).code)

const throwUnlessHeld = (error: unknown): void => {
  if (!isHeld(error)) throw error
}

export const patiently = <T>(act: () => T, steps: Pick<FileSteps, 'pause'>): T => {
  for (const ms of pausesMs) {
    try {
      return act()
    } catch (error) {
      throwUnlessHeld(error)
    }
    steps.pause(ms)
  }
  return act()
}

/** The same, where others are served meanwhile. */
export const patientlyBeside = async <T>(act: () => T, steps: Pick<FileSteps, 'pauseBeside'>): Promise<T> => {
  for (const ms of pausesMs) {
    try {
      return act()
    } catch (error) {
      throwUnlessHeld(error)
    }
    await steps.pauseBeside(ms)
  }
  return act()
}
