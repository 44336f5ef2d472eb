import type { InstalledVersion } from '../../local-files/installed-version.ts'

const CHECK_INTERVAL_MS = 60_000
/** Leaves the package manager time to replace the remaining files. */
const IDLE_CHECK_INTERVAL_MS = 10_000

type Options = {
  readonly installed: Pick<InstalledVersion, 'replacement'>
  /** Whether no recording or upload is in progress in this app, and nobody works in its window. */
  readonly isIdle: () => boolean
  readonly restart: () => void
  readonly log: (message: string) => void
}

/** Restarts the app after a package manager has replaced its files, as soon as the app is idle. */
export class RestartAfterUpdate {
  readonly #options: Options
  #timer: NodeJS.Timeout | null = null
  #dueVersion: string | null = null

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    this.#checkIn(CHECK_INTERVAL_MS)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #checkIn(delayMs: number): void {
    this.#timer = setTimeout(() => this.#check(), delayMs)
  }

  #check(): void {
    const { installed, isIdle, restart, log } = this.#options
    const version = installed.replacement
    const isNew = version !== this.#dueVersion
    this.#dueVersion = version
    if (version === null) this.#checkIn(CHECK_INTERVAL_MS)
    else if (isNew || !isIdle()) this.#checkIn(IDLE_CHECK_INTERVAL_MS)
    else {
      log(`restarting with the installed version ${version}`)
      restart()
    }
  }
}
