import { type FSWatcher, rmSync, watch } from 'node:fs'
import path from 'node:path'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { type ManagedSettings, managedSettingsSchema } from '../../shared/settings/managed-settings.ts'
import { foreignOwnerOf } from '../local-files/data-folder-owner.ts'
import { writeDurably } from '../local-files/durable-file.ts'
import { makeFolder } from '../local-files/make-folder.ts'
import { type ManagedRead, MOST_BYTES, readManagedFile } from './managed-file.ts'
import { readWithRights, whyUntrusted } from './rights.ts'

/** By its shape alone: an earlier version found it good, and a station must not stop because this one is stricter. */
const readKept = (text: string): ManagedSettings | null => {
  try {
    return managedSettingsSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Events are hints: where they do not come, the file is read again this often. */
const LOOK_MS = 15_000
/** A tool that replaces the file writes and renames: what is there a moment later counts. */
const SETTLE_MS = 250
/** Tools that replace a file by removing it first leave it missing for a moment, and so does a slow roll-out. */
const MISSING_MS = 60_000
/** Whoever writes into the file itself leaves half of it there for a moment. */
const BAD_MS = 2_000
/** A program that holds it for so long is no virus scanner. */
const HELD_MS = 60_000

export type ManagedNow = {
  readonly managed: ManagedSettings | null
  /** What is wrong with the file, in words for the administrator. */
  readonly problem: string | null
}

type Clock = { readonly monotonicMs: () => number }

type Options = {
  readonly file: string
  /** The last good settings are kept here. */
  readonly dataFolder: string
  /** Whoever only looks reads what another one keeps, and writes nothing. */
  readonly keeps?: boolean
  /** Whether the station has a service of its own, without the managed settings. */
  readonly hasOwnService: () => boolean
  readonly clock: Clock
  readonly log: (message: string) => void
  readonly onChange: (now: ManagedNow) => void
  readonly paths?: Paths
  readonly read?: (file: string, paths: Paths) => ManagedRead
}

/**
 * The managed settings in force. A file that cannot be used changes nothing: the last good one holds, also after a
 * restart, and what is wrong is told. One that is gone for good ends what it set, unless the station would then have
 * no service at all: it then goes on, and that is told.
 */
export class ManagedStation {
  readonly #options: Options
  readonly #paths: Paths
  readonly #kept: string
  #now: ManagedNow = { managed: null, problem: null }
  #text: string | null = null
  /** Since when it is not good, as long as that says nothing yet. */
  #notGoodSinceMs: number | null = null
  #watcher: FSWatcher | null = null
  #ticker: NodeJS.Timeout | null = null
  #settling: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
    this.#paths = options.paths ?? pathsOf(process.platform)
    this.#kept = path.join(options.dataFolder, 'settings.managed.json')
  }

  get now(): ManagedNow {
    return this.#now
  }

  get file(): string {
    return this.#options.file
  }

  /** Once, at the start: what is wrong with it is told at once. */
  read(): void {
    this.#restore()
    this.look()
  }

  /** From now on whenever it changes. */
  start(): void {
    this.#listen()
    this.#ticker = setInterval(() => {
      this.look()
      this.#listen()
    }, LOOK_MS)
  }

  stop(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#watcher?.close()
    this.#watcher = null
  }

  look(): void {
    const { file, clock, hasOwnService, read = readManagedFile } = this.#options
    const found = read(file, this.#paths)
    if (found.kind === 'good') this.#notGoodSinceMs = null
    else this.#notGoodSinceMs ??= clock.monotonicMs()
    const notGoodMs = this.#notGoodSinceMs === null ? 0 : clock.monotonicMs() - this.#notGoodSinceMs
    switch (found.kind) {
      case 'good':
        this.#adopt(found)
        return
      case 'bad':
        if (this.#ticker === null || notGoodMs >= BAD_MS) this.#tell({ ...this.#now, problem: found.reason })
        else this.#lookSoon(BAD_MS)
        return
      case 'held':
        if (notGoodMs >= HELD_MS)
          this.#tell({ ...this.#now, problem: `${file} is held open by another program` })
        return
      case 'missing':
        if (this.#now.managed === null) this.#tell({ managed: null, problem: null })
        else if (notGoodMs >= MISSING_MS) this.#end(hasOwnService())
        return
    }
  }

  #adopt({ managed, text }: Extract<ManagedRead, { kind: 'good' }>): void {
    if (text !== this.#text && this.#options.keeps !== false) {
      try {
        makeFolder(this.#options.dataFolder)
        writeDurably(this.#kept, text)
        this.#text = text
      } catch (error) {
        // A full disk: it holds all the same, and the next look tries again.
        this.#options.log(`the managed settings could not be kept: ${(error as Error).message}`)
      }
    }
    this.#tell({ managed, problem: null })
  }

  #end(hasOwnService: boolean): void {
    const { file } = this.#options
    if (!hasOwnService && this.#now.managed?.service?.base_url !== undefined) {
      const problem = `${file} is gone; it is kept in force, because without it this station has no service. Put it back, or put {} there to end it`
      this.#tell({ ...this.#now, problem })
      return
    }
    try {
      rmSync(this.#kept, { force: true })
    } catch (error) {
      this.#options.log(`the managed settings could not be forgotten: ${(error as Error).message}`)
      return
    }
    this.#text = null
    this.#tell({ managed: null, problem: null })
  }

  /**
   * What held at the last run holds until the file says otherwise. Root restores nothing from the data folder of a
   * service's user, who could name any address there and any file of root's as the key.
   */
  #restore(): void {
    if (foreignOwnerOf(this.#options.dataFolder) !== null) return
    let text: string
    try {
      const { bytes, rights } = readWithRights(this.#kept, MOST_BYTES)
      if (whyUntrusted(this.#kept, rights) !== null) return
      text = bytes.toString('utf8')
    } catch {
      return
    }
    const managed = readKept(text)
    if (managed === null) return
    this.#text = text
    this.#now = { managed, problem: null }
  }

  #tell(now: ManagedNow): void {
    if (JSON.stringify(now) === JSON.stringify(this.#now)) return
    const { log, file, onChange } = this.#options
    if (now.problem !== null) log(`the managed settings could not be used: ${now.problem}`)
    else if (now.managed === null) log('no managed settings are in force')
    else log(`the managed settings of ${file} are in force`)
    this.#now = now
    onChange(now)
  }

  /** The folder and not the file: a file that is replaced is another one. */
  #listen(): void {
    if (this.#watcher !== null) return
    try {
      this.#watcher = watch(path.dirname(this.#options.file), () => this.#lookSoon(SETTLE_MS))
      this.#watcher.on('error', () => {
        this.#watcher?.close()
        this.#watcher = null
      })
    } catch {
      // No such folder yet, or no more watchers: it is read every few seconds all the same.
    }
  }

  #lookSoon(afterMs: number): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = null
      this.look()
    }, afterMs)
  }
}
