import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { withUnlinkedFolder } from '../local-files/hold-folder.ts'
import { makeFolder } from '../local-files/make-folder.ts'
import { appendToPlainFile, READ_FLAGS, writeAll } from '../local-files/plain-file.ts'

/**
 * Hard case: The log cannot be written, or another program holds the full log file.
 * Sluice drops the lines that it cannot write, and later logs how many were lost. While another program holds a full
 * file, the file may grow to twice its size limit.
 */

/** New lines go to this file. A rotation gives a full file a new name, which contains the time. */
const CURRENT = 'sluice.log'
const ROTATED = /^sluice-\d{8}T\d{9}Z-\d+\.log$/
/** Logs of earlier versions, which had separate files for the main process and the agent. */
const OBSOLETE = ['agent.log', 'agent.old.log', 'shell.log', 'shell.old.log']

export type LogLimits = {
  /** The next line starts a new file if the current file would grow above this size. */
  readonly fileBytes: number
  /** The limit for all log files together. */
  readonly totalBytes: number
}

const LIMITS: LogLimits = { fileBytes: 5_000_000, totalBytes: 25_000_000 }

/** The log files, oldest first. */
export const logFiles = (folder: string): readonly string[] => {
  const names = readdirSync(folder)
  const rotatedNames = names.filter((name) => ROTATED.test(name)).sort()
  return [...rotatedNames, ...names.filter((name) => name === CURRENT)].map((name) => path.join(folder, name))
}

const rotatedName = (wallMs: number): string =>
  `sluice-${new Date(wallMs).toISOString().replace(/[-:.]/g, '')}-${process.pid}.log`

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const endsWithLineBreak = (file: string): boolean => {
  const fd = openSync(file, READ_FLAGS)
  try {
    const { size } = fstatSync(fd)
    const last = Buffer.alloc(1)
    return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a)
  } finally {
    closeSync(fd)
  }
}

/** `describeLoss` returns the log line that reports how many lines were lost. */
type PendingLine = { readonly line: string; readonly describeLoss: (lostLines: number) => string }

/**
 * The main process and the agent append to the same file without a lock. Each write opens the file, writes whole lines
 * and closes the file. The process that finds the file full renames it. The new name is unique, and a kill cannot
 * interrupt a rename. Windows refuses to rename a file while another program reads it. The next write tries again.
 */
export class LogFiles {
  readonly #folder: string
  readonly #limits: LogLimits
  readonly #wallMs: () => number
  /** The number of lines lost since the last successful write. */
  #lostLines = 0
  /** A kill or a full disk may have left a partial line at the end of the file. */
  #mayEndInPartialLine = true
  /** The lines of the current `batchLogs` call. Null outside of a call. */
  #batch: PendingLine[] | null = null

  constructor(folder: string, options: { readonly limits?: LogLimits; readonly wallMs?: () => number } = {}) {
    this.#folder = folder
    this.#limits = options.limits ?? LIMITS
    this.#wallMs = options.wallMs ?? Date.now
  }

  /** Runs `work`, and collects the lines that `work` logs. Afterwards, writes these lines with one append. */
  batchLogs(work: () => void): void {
    if (this.#batch !== null) {
      work()
      return
    }
    const batch: PendingLine[] = []
    this.#batch = batch
    try {
      work()
    } finally {
      this.#batch = null
      this.#write(batch)
    }
  }

  /** Never throws: a full disk must not stop the program. */
  write(line: string, describeLoss: PendingLine['describeLoss']): void {
    if (this.#batch === null) this.#write([{ line, describeLoss }])
    else this.#batch.push({ line, describeLoss })
  }

  #write(batch: readonly PendingLine[]): void {
    const [first] = batch
    if (first === undefined) return
    const lossText = this.#lostLines === 0 ? '' : `${first.describeLoss(this.#lostLines)}\n`
    try {
      const bytes = Buffer.from(`${lossText}${batch.map(({ line }) => `${line}\n`).join('')}`)
      // Create the folder before the first line, and again if a user has removed it.
      makeFolder(this.#folder)
      withUnlinkedFolder(this.#folder, (folder) => {
        this.#rotateIfFull(folder, bytes.length)
        this.#append(path.join(folder, CURRENT), bytes)
      })
      this.#lostLines = 0
    } catch {
      this.#lostLines += batch.length
    }
  }

  #append(current: string, bytes: Buffer): void {
    const isPartial = this.#mayEndInPartialLine && sizeOf(current) > 0 && !endsWithLineBreak(current)
    const fd = appendToPlainFile(current)
    try {
      this.#mayEndInPartialLine = true
      writeAll(fd, isPartial ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes)
      this.#mayEndInPartialLine = false
    } finally {
      closeSync(fd)
    }
  }

  #rotateIfFull(folder: string, bytes: number): void {
    const { fileBytes } = this.#limits
    const current = path.join(folder, CURRENT)
    const size = sizeOf(current)
    if (size === 0 || size + bytes <= fileBytes) return
    try {
      renameSync(current, path.join(folder, rotatedName(this.#wallMs())))
    } catch (error) {
      // If the other process has already rotated the file, write into the new file. If another program holds the file,
      // append to it until it has twice its size limit.
      if (sizeOf(current) + bytes > 2 * fileBytes) throw error
    }
    this.#removeOldest(folder)
  }

  #removeOldest(folder: string): void {
    const { fileBytes, totalBytes } = this.#limits
    let allowedBytes = totalBytes - fileBytes
    const newestFirst = [...logFiles(folder)].reverse().filter((file) => path.basename(file) !== CURRENT)
    const tooOld = newestFirst.filter((file) => {
      allowedBytes -= sizeOf(file)
      return allowedBytes < 0
    })
    for (const file of [...tooOld, ...OBSOLETE.map((name) => path.join(folder, name))]) {
      try {
        rmSync(file, { force: true })
      } catch {
        // Another program holds the file. The next rotation retries.
      }
    }
  }
}
