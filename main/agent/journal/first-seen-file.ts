import path from 'node:path'
import type { Paths } from '../../../shared/paths/paths.ts'
import { writeDurably } from '../../local-files/durable-file.ts'
import { FIRST_SEEN_FILE } from '../../local-files/has-station.ts'
import { readPlainFile, TooLargeError } from '../../local-files/plain-file.ts'

/**
 * Hard case: The journal is lost while recordings of a folder with `ignore_existing` wait for their upload.
 * A small file beside the journal stores when Sluice first saw each folder. So Sluice still uploads everything that
 * arrived after that time, and still skips what existed before.
 */

const MAX_FOLDERS = 1_000
const MAX_BYTES = 8 * 1024 * 1024

export type FirstSeen = { readonly path: string; readonly firstSeenAtMs: number }

const isFirstSeen = (value: unknown): value is FirstSeen => {
  if (typeof value !== 'object' || value === null) return false
  const { path: folder, firstSeenAtMs } = value as Partial<FirstSeen>
  return typeof folder === 'string' && Number.isFinite(firstSeenAtMs)
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Null if the file cannot be read now. A missing or damaged file has no entries. */
const readEntries = (file: string): readonly FirstSeen[] | null => {
  let text: string
  try {
    text = readPlainFile(file, MAX_BYTES).bytes.toString('utf8')
  } catch (error) {
    return isMissing(error) || error instanceof TooLargeError ? [] : null
  }
  try {
    const entries: unknown = JSON.parse(text)
    return Array.isArray(entries) && entries.every(isFirstSeen) ? entries : []
  } catch {
    return []
  }
}

/** When this station first saw each folder, in a file that survives the loss of the journal. */
export class FirstSeenFile {
  readonly #file: string
  readonly #paths: Paths
  #entries: Map<string, FirstSeen> | null = null

  constructor(dataFolder: string, paths: Paths) {
    this.#file = path.join(dataFolder, FIRST_SEEN_FILE)
    this.#paths = paths
  }

  at(folder: string): number | null {
    return this.#read()?.get(this.#paths.key(folder))?.firstSeenAtMs ?? null
  }

  /**
   * Adds new folders, and replaces a later time by an earlier one. Does nothing if the file cannot be read now, because
   * the file may hold times that the journal has lost.
   */
  add(folders: readonly FirstSeen[]): void {
    const entries = this.#read()
    if (entries === null) return
    let hasChanged = false
    for (const { path: folder, firstSeenAtMs } of folders) {
      const key = this.#paths.key(folder)
      if (firstSeenAtMs >= (entries.get(key)?.firstSeenAtMs ?? Number.POSITIVE_INFINITY)) continue
      entries.set(key, { path: folder, firstSeenAtMs })
      hasChanged = true
    }
    if (hasChanged) this.#write([...entries.values()])
  }

  /** Null if the file cannot be read now. */
  #read(): Map<string, FirstSeen> | null {
    if (this.#entries !== null) return this.#entries
    const entries = readEntries(this.#file)
    this.#entries = entries && new Map(entries.map((entry) => [this.#paths.key(entry.path), entry]))
    return this.#entries
  }

  #write(entries: readonly FirstSeen[]): void {
    const newest = entries.toSorted((a, b) => b.firstSeenAtMs - a.firstSeenAtMs).slice(0, MAX_FOLDERS)
    try {
      writeDurably(this.#file, `${JSON.stringify(newest)}\n`)
    } catch {
      // The disk is full, or another program holds the file. The next start adds the folders of the journal again.
    }
  }
}
