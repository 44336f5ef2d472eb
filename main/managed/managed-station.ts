import { type FSWatcher, rmSync, watch } from 'node:fs'
import path from 'node:path'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import type { ManagedSettings } from '../../shared/settings/managed-settings.ts'
import { MAX_SETTINGS_BYTES, parseManagedSettings } from '../../shared/settings/parse-settings.ts'
import { foreignOwnerOf } from '../local-files/data-folder-owner.ts'
import { writeDurably } from '../local-files/durable-file.ts'
import { makeFolder } from '../local-files/make-folder.ts'
import { type ManagedRead, readManagedFile } from './managed-file.ts'
import { readWithRights, whyUntrusted } from './rights.ts'

/** Events may be lost, so read the file at this interval, too. */
const CHECK_INTERVAL_MS = 15_000
/** A tool may replace the file in several steps, so wait this long after an event before reading the file. */
const SETTLE_DELAY_MS = 250
/**
 * The file may be missing for a while, because a tool removes it before replacing it, or because a roll-out is slow.
 */
const MISSING_GRACE_MS = 60_000
/** A program that writes in place leaves a partial file for a moment. */
const INVALID_GRACE_MS = 2_000
/** A virus scanner keeps the file open for a shorter time. If a program keeps it open longer, Sluice reports this. */
const HELD_GRACE_MS = 60_000

export type ManagedState = {
  readonly managed: ManagedSettings | null
  /** The problem of the file, as a sentence for the administrator. */
  readonly problem: string | null
}

type Clock = { readonly monotonicMs: () => number }

type Options = {
  readonly file: string
  /** The folder in which the last valid settings are saved. */
  readonly dataFolder: string
  /** False for a process that must write nothing to the data folder. */
  readonly maySave?: boolean
  /** True if the station's own settings name a service. */
  readonly hasOwnService: () => boolean
  readonly clock: Clock
  readonly log: (message: string) => void
  readonly onChange: (state: ManagedState) => void
  readonly read?: (file: string, paths: Paths) => ManagedRead
}

/**
 * Provides the active managed settings. While the file is unusable, its last valid settings stay active, even after a
 * restart, and Sluice reports the problem. If an administrator removes the file, its settings end after a minute.
 * But they stay active if the station has a service only through them.
 */
export class ManagedStation {
  readonly #options: Options
  readonly #paths = pathsOf(process.platform)
  readonly #savedFile: string
  #state: ManagedState = { managed: null, problem: null }
  /** The content of the saved file. */
  #saved: string | null = null
  /** The result of the last read, and since when each read has had this result. Null before the first read. */
  #lastRead: { readonly kind: ManagedRead['kind']; readonly sinceMs: number } | null = null
  #watcher: FSWatcher | null = null
  #ticker: NodeJS.Timeout | null = null
  #settling: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
    this.#savedFile = path.join(options.dataFolder, 'settings.managed.json')
  }

  get state(): ManagedState {
    return this.#state
  }

  get file(): string {
    return this.#options.file
  }

  /**
   * Restores the saved settings and reads the file. Call this before `start`, so that a bad file is reported at once.
   */
  read(): void {
    this.#restore()
    this.check()
  }

  start(): void {
    this.#watch()
    this.#ticker = setInterval(() => {
      this.check()
      this.#watch()
    }, CHECK_INTERVAL_MS)
  }

  stop(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#watcher?.close()
    this.#watcher = null
  }

  check(): void {
    const { file, clock, hasOwnService, read = readManagedFile } = this.#options
    const found = read(file, this.#paths)
    const nowMs = clock.monotonicMs()
    // A tool may repair an invalid file by removing and creating it, so each kind has its own time.
    if (found.kind !== this.#lastRead?.kind) this.#lastRead = { kind: found.kind, sinceMs: nowMs }
    const unchangedMs = nowMs - this.#lastRead.sinceMs
    switch (found.kind) {
      case 'good':
        this.#adopt(found.managed)
        return
      case 'bad':
        if (this.#ticker === null || unchangedMs >= INVALID_GRACE_MS)
          this.#update({ ...this.#state, problem: found.reason })
        else this.#checkSoon(INVALID_GRACE_MS)
        return
      case 'held':
        if (unchangedMs >= HELD_GRACE_MS)
          this.#update({ ...this.#state, problem: `${file} is held open by another program` })
        return
      case 'missing':
        if (this.#state.managed === null) this.#update({ managed: null, problem: null })
        else if (unchangedMs >= MISSING_GRACE_MS) this.#end(hasOwnService())
        return
    }
  }

  #adopt(managed: ManagedSettings): void {
    const content = `${JSON.stringify(managed, null, 2)}\n`
    if (content !== this.#saved && this.#options.maySave !== false) {
      try {
        makeFolder(this.#options.dataFolder)
        writeDurably(this.#savedFile, content)
        this.#saved = content
      } catch (error) {
        // The disk may be full. The settings are active anyway, and the next check retries.
        this.#options.log(`could not save the managed settings: ${(error as Error).message}`)
      }
    }
    this.#update({ managed, problem: null })
  }

  #end(hasOwnService: boolean): void {
    const { file } = this.#options
    if (!hasOwnService && this.#state.managed?.service?.base_url !== undefined) {
      const problem = `${file} is gone, but its settings stay active, because without them this station has no service. Restore the file. To end the management, put a file with the content {} there`
      this.#update({ ...this.#state, problem })
      return
    }
    try {
      rmSync(this.#savedFile, { force: true })
    } catch (error) {
      this.#options.log(`could not remove the saved managed settings: ${(error as Error).message}`)
      return
    }
    this.#saved = null
    this.#update({ managed: null, problem: null })
  }

  /** The settings of the last run stay active until Sluice has read the file. */
  #restore(): void {
    // As root, ignore the saved file of a service account. The account could write into this file any service address,
    // and the path of a key file that only root may read.
    if (foreignOwnerOf(this.#options.dataFolder) !== null) return
    try {
      const { bytes, rights } = readWithRights(this.#savedFile, MAX_SETTINGS_BYTES)
      if (whyUntrusted(this.#savedFile, rights) !== null) return
      // Check only the schema: an earlier version accepted these settings, and a stricter version must not stop
      // the station.
      const { settings: managed } = parseManagedSettings(bytes, this.#paths)
      if (managed === null) return
      this.#saved = bytes.toString('utf8')
      this.#state = { managed, problem: null }
    } catch {
      // There is no saved file, or it is unreadable.
    }
  }

  #update(state: ManagedState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return
    const { log, file, onChange } = this.#options
    if (state.problem !== null) log(`cannot use the managed settings: ${state.problem}`)
    else if (state.managed === null) log('no managed settings are active')
    else log(`the managed settings of ${file} are active`)
    this.#state = state
    onChange(state)
  }

  /** Watches the folder and not the file, because a replaced file has a new inode. */
  #watch(): void {
    if (this.#watcher !== null) return
    try {
      this.#watcher = watch(path.dirname(this.#options.file), () => this.#checkSoon(SETTLE_DELAY_MS))
      this.#watcher.on('error', () => {
        this.#watcher?.close()
        this.#watcher = null
      })
    } catch {
      // The folder is missing, or the system allows no more watches. `#ticker` still causes regular reads.
    }
  }

  #checkSoon(afterMs: number): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = null
      this.check()
    }, afterMs)
  }
}
