import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { RandomBytes } from '../ids.ts'
import { fileMode, folderMode, makePartsPrivate, partsFolder } from '../store-permissions.ts'

/**
 * The folder of part files. Each upload writes a file with a unique name. A part row names the file once it is complete and
 * synced. A file without a row is an incomplete, replaced or deleted part: it is removed at once, or at the next start.
 */
export class PartFiles {
  readonly #folder: string
  readonly #random: RandomBytes
  #sync: { running: Promise<void>; next: Promise<void> | null } | null = null

  private constructor(folder: string, random: RandomBytes) {
    this.#folder = folder
    this.#random = random
  }

  static async open(dataFolder: string, random: RandomBytes, known: ReadonlySet<string>): Promise<PartFiles> {
    const folder = join(dataFolder, partsFolder)
    await mkdir(folder, { recursive: true, mode: folderMode })
    const names = await readdir(folder)
    for (const name of names) {
      if (!known.has(name)) await unlink(join(folder, name))
    }
    await makePartsPrivate(
      folder,
      names.filter((name) => known.has(name)),
    )
    return new PartFiles(folder, random)
  }

  newName(sessionId: string, number: number): string {
    return `${sessionId}-${number}-${this.#random(6).toString('hex')}`
  }

  names(): Promise<string[]> {
    return readdir(this.#folder)
  }

  create(name: string): Promise<FileHandle> {
    return open(join(this.#folder, name), 'wx', fileMode)
  }

  openForReading(name: string): Promise<FileHandle> {
    return open(join(this.#folder, name), 'r')
  }

  /** Ignores a file that does not exist. */
  async remove(name: string): Promise<void> {
    await unlink(join(this.#folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  /** Syncs the folder. Callers during a sync share the next one. */
  syncNames(): Promise<void> {
    const current = this.#sync
    if (current === null) {
      const running = this.#syncOnce().finally(() => {
        if (this.#sync?.running === running && this.#sync.next === null) this.#sync = null
      })
      this.#sync = { running, next: null }
      return running
    }
    current.next ??= current.running
      .catch(() => {})
      .then(() => {
        this.#sync = null
        return this.syncNames()
      })
    return current.next
  }

  async #syncOnce(): Promise<void> {
    // Windows has no directory sync; NTFS journals names itself.
    if (process.platform === 'win32') return
    const handle = await open(this.#folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}
