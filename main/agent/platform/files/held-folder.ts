import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import type { DriveCalls } from './drive-calls.ts'
import { systemCode } from './file-failure.ts'
import { outsideDetail, whyFolderOutside } from './inside-root.ts'

/**
 * Hard case: A folder is swapped for a link during a removal.
 * On Linux, Sluice opens the folder, reads the real path of the descriptor, and makes every call through that
 * descriptor. On other systems it resolves the path before and after each call.
 */

/** With this flag, Linux opens a folder even if Sluice may not list it. Node has no constant for the flag. */
const O_PATH = 0o10000000

/**
 * Error codes of a share that cannot sync a folder, and of a folder that Sluice may not list. Any other error may mean
 * that the drive has lost a file name.
 */
const cannotSyncCodes: ReadonlySet<string | null> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EACCES',
  'EPERM',
])

/** The folder does not lie inside its root, or the name leads out of the folder. */
export class OutsideError extends Error {
  constructor(detail: string = outsideDetail) {
    super(detail)
  }
}

/**
 * A folder that is or was watched, or the folder that files are moved to. `drive` is the folder's path, used as
 * the key in DriveCalls. `root` is the same path in the form that the system opens.
 */
export type Root = { readonly drive: string; readonly root: string }

/**
 * The folder of a file that Sluice is about to rename, link or remove. A program with write access to a parent folder
 * can swap the folder for a link at any moment, so Sluice cannot trust its path.
 */
export class HeldFolder {
  readonly #handle: FileHandle | null
  readonly #folder: string
  readonly #root: Root
  readonly #calls: DriveCalls
  /** Calls that the drive has not answered yet, including calls that timed out. */
  readonly #unanswered = new Set<Promise<unknown>>()
  readonly #files: FileHandle[] = []

  private constructor(handle: FileHandle | null, folder: string, root: Root, calls: DriveCalls) {
    this.#handle = handle
    this.#folder = folder
    this.#root = root
    this.#calls = calls
  }

  static async open(
    folder: string,
    root: Root,
    calls: DriveCalls,
    platform: NodeJS.Platform = process.platform,
  ): Promise<HeldFolder> {
    const handle = await calls.run(
      root.drive,
      () => openInside(folder, root.root, platform),
      (lateHandle) => void lateHandle?.close().catch(() => {}),
    )
    return new HeldFolder(handle, folder, root, calls)
  }

  /** The path of an entry for one call. Use it only inside `run` or `runWith`. */
  entry(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
      throw new OutsideError()
    return this.#handle === null ? path.join(this.#folder, name) : `/proc/self/fd/${this.#handle.fd}/${name}`
  }

  /** Makes one call to the drive. Rejects with a DriveTimeoutError if the drive does not answer. */
  run<T>(call: () => Promise<T>, onLate?: (value: T) => void): Promise<T> {
    return this.#calls.run(this.#root.drive, () => this.#holdDuring(call), onLate)
  }

  /** Makes one call that uses this folder and `other`. Neither folder is closed before the drive has answered. */
  runWith<T>(other: HeldFolder, call: () => Promise<T>): Promise<T> {
    return this.run(other === this ? call : () => other.#holdDuring(call))
  }

  /**
   * After a sync, a power cut cannot undo earlier calls. On Windows, on some shares, and in a folder that Sluice may
   * not list, there is no sync: the system decides when to write.
   */
  async sync(): Promise<void> {
    if (process.platform === 'win32') return
    try {
      await this.run(async () => {
        const folder = await open(
          this.#handle === null ? this.#folder : `/proc/self/fd/${this.#handle.fd}`,
          'r',
        )
        await folder.sync().finally(() => folder.close())
      })
    } catch (error) {
      if (!cannotSyncCodes.has(systemCode(error))) throw error
    }
  }

  /** Adds a file that `close` closes together with the folder. */
  keep(file: FileHandle): void {
    this.#files.push(file)
  }

  /**
   * Waits for running calls, because they use the number of the descriptor. After a close, the system may give this
   * number to a different file.
   */
  close(): Promise<void> {
    const closing = Promise.allSettled(this.#unanswered).then(async () => {
      const results = await Promise.allSettled(
        [...this.#files, this.#handle].map((handle) => handle?.close()),
      )
      for (const result of results) if (result.status === 'rejected') throw result.reason
    })
    return this.#calls.waitForClose(this.#root.drive, closing)
  }

  /** Keeps the folder open until the drive has answered the call. */
  #holdDuring<T>(call: () => Promise<T>): Promise<T> {
    const answer = this.#handle === null ? this.#runChecked(call) : call()
    const ended = answer.catch(() => {}).finally(() => this.#unanswered.delete(ended))
    this.#unanswered.add(ended)
    return answer
  }

  async #runChecked<T>(call: () => Promise<T>): Promise<T> {
    await this.#assertInside()
    const answer = await call()
    await this.#assertInside()
    return answer
  }

  async #assertInside(): Promise<void> {
    const detail = await whyFolderOutside(null, this.#folder, this.#root.root)
    if (detail !== null) throw new OutsideError(detail)
  }
}

const openInside = async (
  folder: string,
  root: string,
  platform: NodeJS.Platform,
): Promise<FileHandle | null> => {
  const handle = platform === 'linux' ? await open(folder, O_PATH | constants.O_DIRECTORY) : null
  const detail = await whyFolderOutside(handle, folder, root).catch(async (error: unknown) => {
    await handle?.close()
    throw error
  })
  if (detail === null) return handle
  await handle?.close()
  throw new OutsideError(detail)
}
