import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { withUnlinkedFolder } from '../local-files/hold-folder.ts'
import { makeFolder } from '../local-files/make-folder.ts'
import { appendToPlainFile, READ_ANY, writeAll } from '../local-files/plain-file.ts'

/**
 * Hard case: The log cannot be written, or is held while it is full.
 * Sluice drops lines and counts them. A held file may grow to twice its size.
 */

/** The one that is written to. The others have the time in their name at which they were put aside. */
const CURRENT = 'sluice.log'
const ASIDE = /^sluice-\d{8}T\d{9}Z-\d+\.log$/
/** Of a Sluice whose main and agent had a file each. */
const EARLIER = ['agent.log', 'agent.old.log', 'shell.log', 'shell.old.log']

export type LogLimits = {
  /** From this size on a new file is begun. */
  readonly fileBytes: number
  /** All of them together. */
  readonly totalBytes: number
}

const LIMITS: LogLimits = { fileBytes: 5_000_000, totalBytes: 25_000_000 }

/** Oldest first, the current one last. */
export const logFiles = (folder: string): readonly string[] => {
  const names = readdirSync(folder)
  const aside = names.filter((name) => ASIDE.test(name)).sort()
  return [...aside, ...names.filter((name) => name === CURRENT)].map((name) => path.join(folder, name))
}

const asideName = (wallMs: number): string =>
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

type Gathered = { readonly line: string; readonly lostLine: (lost: number) => string }

/**
 * Main and agent append to one file, whole lines in one write, and open it for that write alone: whichever of them finds
 * it full puts it aside under a name that no other has, in one step that a kill cannot halve, and nothing has to be
 * agreed between them. Windows lets no file be renamed while another program reads it; then it is tried again with the
 * next line.
 */
export class LogFiles {
  readonly #folder: string
  readonly #limits: LogLimits
  readonly #wallMs: () => number
  /** Lines that the disk did not take. */
  #lost = 0
  /** The file may end in half a line: of a process that was killed, or of a disk that was full. */
  #halfLine = true
  /** Lines that wait for those that are written together with them. */
  #gathered: Gathered[] | null = null

  constructor(folder: string, options: { readonly limits?: LogLimits; readonly wallMs?: () => number } = {}) {
    this.#folder = folder
    this.#limits = options.limits ?? LIMITS
    this.#wallMs = options.wallMs ?? Date.now
  }

  /** What is written within is one write at its end. */
  together(work: () => void): void {
    if (this.#gathered !== null) {
      work()
      return
    }
    const gathered: Gathered[] = []
    this.#gathered = gathered
    try {
      work()
    } finally {
      this.#gathered = null
      this.#write(gathered)
    }
  }

  /** Never throws: a disk that takes no log must not end what it is a log of. */
  write(line: string, lostLine: (lost: number) => string): void {
    if (this.#gathered === null) this.#write([{ line, lostLine }])
    else this.#gathered.push({ line, lostLine })
  }

  #write(gathered: readonly Gathered[]): void {
    const [first] = gathered
    if (first === undefined) return
    const lost = this.#lost === 0 ? '' : `${first.lostLine(this.#lost)}\n`
    try {
      const bytes = Buffer.from(`${lost}${gathered.map(({ line }) => `${line}\n`).join('')}`)
      // It is missing at the first line only, or where somebody took it away.
      makeFolder(this.#folder)
      withUnlinkedFolder(this.#folder, (folder) => {
        this.#makeRoom(folder, bytes.length)
        this.#append(path.join(folder, CURRENT), bytes)
      })
      this.#lost = 0
    } catch {
      this.#lost += gathered.length
    }
  }

  #append(current: string, bytes: Buffer): void {
    const half = this.#halfLine && sizeOf(current) > 0 && !endsInLine(current)
    const fd = appendToPlainFile(current)
    try {
      this.#halfLine = true
      writeAll(fd, half ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes)
      this.#halfLine = false
    } finally {
      closeSync(fd)
    }
  }

  #makeRoom(folder: string, bytes: number): void {
    const { fileBytes } = this.#limits
    const current = path.join(folder, CURRENT)
    const size = sizeOf(current)
    if (size === 0 || size + bytes <= fileBytes) return
    try {
      renameSync(current, path.join(folder, asideName(this.#wallMs())))
    } catch (error) {
      // The other process was faster, or somebody holds it: then it may grow for a while, and not for ever.
      if (sizeOf(current) + bytes > 2 * fileBytes) throw error
    }
    this.#forgetOldest(folder)
  }

  #forgetOldest(folder: string): void {
    const { fileBytes, totalBytes } = this.#limits
    let left = totalBytes - fileBytes
    const newestFirst = [...logFiles(folder)].reverse().filter((file) => path.basename(file) !== CURRENT)
    const tooOld = newestFirst.filter((file) => {
      left -= sizeOf(file)
      return left < 0
    })
    for (const file of [...tooOld, ...EARLIER.map((name) => path.join(folder, name))]) {
      try {
        rmSync(file, { force: true })
      } catch {
        // Held by another program: it goes with the next one.
      }
    }
  }
}
