import { type FileHandle, lstat, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { RandomBytes } from '../ids.ts'
import { StartError } from '../start-error.ts'
import type { PartUsage } from '../store/parts.ts'
import { fileMode, folderMode, makePartsPrivate, partsFolder } from '../store-permissions.ts'
import {
  type ByteRange,
  type ByteReader,
  type ByteStore,
  type ExpectedBody,
  MissingBytesError,
  type ReceiveResult,
  type StoredName,
} from './byte-store.ts'
import { receiveBody } from './receive-body.ts'

const chunkBytes = 1 << 20

/** Stores the bytes of each part as a file in one folder. */
export class PartFiles implements ByteStore {
  readonly #folder: string
  readonly #random: RandomBytes
  #sync: { running: Promise<void>; next: Promise<void> | null } | null = null

  private constructor(folder: string, random: RandomBytes) {
    this.#folder = folder
    this.#random = random
  }

  /**
   * Opens the folder and removes the leftovers (`PartUsage`). If `usage` is null, it removes nothing, because other
   * instances may be writing, or because `clean-up` lists the files first.
   */
  static async open(dataFolder: string, random: RandomBytes, usage: PartUsage | null): Promise<PartFiles> {
    const folder = join(dataFolder, partsFolder)
    await mkdir(folder, { recursive: true, mode: folderMode })
    await refuseForeignLink(folder)
    if (usage !== null) {
      const { usedNames, firstUsedAtMs } = usage
      const names = await readdir(folder)
      for (const name of names) {
        if (usedNames.has(name)) continue
        // The command `check` may remove its own test file at the same moment.
        const stats = await lstat(join(folder, name)).catch(() => null)
        if (stats?.isFile() && stats.mtimeMs >= firstUsedAtMs) await rm(join(folder, name), { force: true })
      }
      await makePartsPrivate(
        dataFolder,
        names.filter((name) => usedNames.has(name)),
      )
    }
    return new PartFiles(folder, random)
  }

  newName(sessionId: string, partNumber: number): string {
    return `${sessionId}-${partNumber}-${this.#random(6).toString('hex')}`
  }

  async *names(): AsyncGenerator<StoredName> {
    for (const name of await readdir(this.#folder)) {
      const stats = await stat(join(this.#folder, name)).catch(() => null)
      if (stats !== null) yield { name, storedAtMs: stats.mtimeMs }
    }
  }

  /** `stored` means that the file and its name are on disk. */
  async receive(name: string, body: IncomingMessage, expected: ExpectedBody): Promise<ReceiveResult> {
    const file = await open(join(this.#folder, name), 'wx', fileMode)
    try {
      const receivedFile = await receiveBody(body, { file, wantsMd5: expected.wantsMd5 })
      if (receivedFile === null) return { kind: 'aborted' }
      if (!receivedFile.sha256.equals(expected.sha256)) return { kind: 'bad-digest' }
      await this.#syncNames()
      return { kind: 'stored', md5: receivedFile.md5 }
    } finally {
      await file.close()
    }
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const file = await open(join(this.#folder, name), 'wx', fileMode)
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    await this.#syncNames()
  }

  async open(name: string): Promise<ByteReader> {
    const file = await this.#openFile(name)
    return {
      async read(position, length) {
        const buffer = Buffer.alloc(length)
        const { bytesRead } = await file.read(buffer, 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
      close: () => file.close(),
    }
  }

  async *chunks(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const file = await this.#openFile(name)
    try {
      const { start, end } = range ?? { start: 0, end: (await file.stat()).size }
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, end - start)))
      for (let position = start; position < end; ) {
        const length = Math.min(buffer.length, end - position)
        const { bytesRead } = await file.read(buffer, 0, length, position)
        if (bytesRead === 0) return
        position += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  }

  #openFile(name: string): Promise<FileHandle> {
    return open(join(this.#folder, name), 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new MissingBytesError() : error
    })
  }

  async remove(name: string): Promise<void> {
    await unlink(join(this.#folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  /** Syncs the folder. A running sync may miss the names of later calls, so these calls share the next sync. */
  #syncNames(): Promise<void> {
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
        return this.#syncNames()
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

/**
 * Protects root: the account of the server could have replaced its folder with a link to a folder of root. A link that
 * root itself made is allowed, for example to put the parts on a larger disk.
 */
async function refuseForeignLink(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const stats = await lstat(folder)
  if (!stats.isSymbolicLink() || stats.uid === 0) return
  throw new StartError(
    `Root does not use ${folder}, because it is a link of another account. Run the command as that account.`,
  )
}
