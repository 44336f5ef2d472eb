import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../local-files/make-folder.ts'
import { appendToPlainFile, isForeignLink, READ_ANY, writeAll } from '../local-files/plain-file.ts'

/** The file that receives new lines. Rotated files have the time of their rotation in their name. */
const CURRENT = 'sluice.log'
const ROTATED = /^sluice-\d{8}T\d{9}Z-\d+\.log$/
/** From an earlier version, in which the main process and the agent each had a file. */
const LEGACY_FILES = ['agent.log', 'agent.old.log', 'shell.log', 'shell.old.log']

export type LogLimits = {
  /** The file is rotated at this size. */
  readonly fileBytes: number
  /** Limit for all files together. */
  readonly totalBytes: number
}

const LIMITS: LogLimits = { fileBytes: 5_000_000, totalBytes: 25_000_000 }

/** Oldest first, the current one last. */
export const logFiles = (folder: string): readonly string[] => {
  const names = readdirSync(folder)
  const rotated = names.filter((name) => ROTATED.test(name)).sort()
  return [...rotated, ...names.filter((name) => name === CURRENT)].map((name) => path.join(folder, name))
}

const rotatedName = (wallMs: number): string =>
  `sluice-${new Date(wallMs).toISOString().replace(/[-:.]/g, '')}-${process.pid}.log`

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const endsInLine = (file: string): boolean => {
  const fd = openSync(file, READ_ANY)
  try {
    const { size } = fstatSync(fd)
    const last = Buffer.alloc(1)
    return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a)
  } finally {
    closeSync(fd)
  }
}

type PendingLine = { readonly line: string; readonly lostLine: (lost: number) => string }

/**
 * The main process and the agent append to the same file. They open it for each write and write whole lines. The one
 * that finds it full renames it to a unique name: an atomic step that needs no coordination. Windows refuses the rename
 * while another program reads the file; then the next line retries.
 */
export class LogFiles {
  readonly #folder: string
  readonly #current: string
  readonly #limits: LogLimits
  readonly #wallMs: () => number
  /** Lines that could not be written. */
  #lost = 0
  /** The file may end with a partial line, after a crash or on a full disk. */
  #hasPartialLine = true
  /** Buffered lines of the current batch, or null. */
  #batch: PendingLine[] | null = null

  constructor(folder: string, options: { readonly limits?: LogLimits; readonly wallMs?: () => number } = {}) {
    this.#folder = folder
    this.#current = path.join(folder, CURRENT)
    this.#limits = options.limits ?? LIMITS
    this.#wallMs = options.wallMs ?? Date.now
  }

  /** Lines written during `work` share one write at the end. */
  together(work: () => void): void {
    if (this.#batch !== null) {
      work()
      return
    }
    const lines: PendingLine[] = []
    this.#batch = lines
    try {
      work()
    } finally {
      this.#batch = null
      this.#write(lines)
    }
  }

  /** Never throws: a failed log write must not stop the program. */
  write(line: string, lostLine: (lost: number) => string): void {
    if (this.#batch === null) this.#write([{ line, lostLine }])
    else this.#batch.push({ line, lostLine })
  }

  #write(lines: readonly PendingLine[]): void {
    const [first] = lines
    if (first === undefined) return
    const lost = this.#lost === 0 ? '' : `${first.lostLine(this.#lost)}\n`
    try {
      const bytes = Buffer.from(`${lost}${lines.map(({ line }) => `${line}\n`).join('')}`)
      if (isForeignLink(this.#folder)) throw new Error('the log folder is a link of another user')
      this.#rotateIfFull(bytes.length)
      this.#append(bytes)
      this.#lost = 0
    } catch {
      this.#lost += lines.length
    }
  }

  #append(bytes: Buffer): void {
    const isPartial = this.#hasPartialLine && sizeOf(this.#current) > 0 && !endsInLine(this.#current)
    const fd = this.#open()
    try {
      this.#hasPartialLine = true
      writeAll(fd, isPartial ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes)
      this.#hasPartialLine = false
    } finally {
      closeSync(fd)
    }
  }

  /** The folder is missing before the first line, or if somebody removed it. */
  #open(): number {
    try {
      return appendToPlainFile(this.#current)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      makeFolder(this.#folder)
      return appendToPlainFile(this.#current)
    }
  }

  #rotateIfFull(bytes: number): void {
    const { fileBytes } = this.#limits
    const size = sizeOf(this.#current)
    if (size === 0 || size + bytes <= fileBytes) return
    try {
      renameSync(this.#current, path.join(this.#folder, rotatedName(this.#wallMs())))
    } catch (error) {
      // The other process was faster, or another program holds the file. Then it may grow for a while, but not for
      // ever.
      if (sizeOf(this.#current) + bytes > 2 * fileBytes) throw error
    }
    this.#removeOldest()
  }

  #removeOldest(): void {
    const { fileBytes, totalBytes } = this.#limits
    let left = totalBytes - fileBytes
    const newestFirst = [...logFiles(this.#folder)].reverse().filter((file) => file !== this.#current)
    const tooOld = newestFirst.filter((file) => {
      left -= sizeOf(file)
      return left < 0
    })
    for (const file of [...tooOld, ...LEGACY_FILES.map((name) => path.join(this.#folder, name))]) {
      try {
        rmSync(file, { force: true })
      } catch {
        // Another program holds it: the next rotation removes it.
      }
    }
  }
}
