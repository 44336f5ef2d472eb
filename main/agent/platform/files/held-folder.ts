import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { type DriveCalls, DriveTimeoutError } from './drive-calls.ts'
import { systemCode } from './file-failure.ts'
import { outsideDetail, whyFolderOutside } from './inside-root.ts'

/** Opens a folder without the right to list it. Linux only; Node has no constant for it. */
const O_PATH = 0o10000000

/** The folder does not lie inside its root, or the name leads out of it. */
export class OutsideError extends Error {
  constructor(detail: string = outsideDetail) {
    super(detail)
  }
}

/** `drive` is the key for DriveCalls; `root` is the same folder as a path that the system can open. */
export type Root = { readonly drive: string; readonly root: string }

/**
 * The folder of a file that is about to be renamed, linked or removed. Another program can swap the folder for a link
 * at any moment, so a path proves nothing. On Linux the folder is opened, its real location is checked, and every call
 * goes through the descriptor. On other systems the path is resolved before and after each call.
 */
export class HeldFolder {
  readonly #handle: FileHandle | null
  readonly #folder: string
  readonly #root: Root
  readonly #calls: DriveCalls
  /** Calls without an answer, including calls whose caller has given up. */
  readonly #pending = new Set<Promise<unknown>>()
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
      (late) => void late?.close().catch(() => {}),
    )
    return new HeldFolder(handle, folder, root, calls)
  }

  /** The path of an entry for one call; use it only inside `run`. */
  entry(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
      throw new OutsideError()
    return this.#handle === null ? path.join(this.#folder, name) : `/proc/self/fd/${this.#handle.fd}/${name}`
  }

  /** Makes one call to the drive. Rejects with a DriveTimeoutError if the drive does not answer. */
  run<T>(call: () => Promise<T>, onLate?: (value: T) => void): Promise<T> {
    return this.#calls.run(
      this.#root.drive,
      () => {
        const answer = this.#handle === null ? this.#checked(call) : call()
        const ended = answer.catch(() => {}).finally(() => this.#pending.delete(ended))
        this.#pending.add(ended)
        return answer
      },
      onLate,
    )
  }

  /**
   * After this, a power cut undoes none of the calls. Some shares cannot sync a folder; there the server decides.
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
      if (error instanceof DriveTimeoutError || systemCode(error) === null) throw error
    }
  }

  /** Closes this file together with the folder. */
  keep(file: FileHandle): void {
    this.#files.push(file)
  }

  /** Waits for running calls: once a descriptor is closed, the system may reuse its number for another file. */
  close(): Promise<void> {
    const closing = Promise.allSettled(this.#pending).then(async () => {
      for (const file of this.#files) await file.close()
      await this.#handle?.close()
    })
    return this.#calls.waitForClose(this.#root.drive, closing)
  }

  async #checked<T>(call: () => Promise<T>): Promise<T> {
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
