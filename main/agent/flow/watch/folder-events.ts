import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Problem } from '../../../../shared/status/problem.ts'
import { problemOf } from '../../domain/problems.ts'
import { FOLDER_EVENTS_RETRY_DELAY_MS } from '../../domain/retry-limits.ts'
import type { Clock, Log } from '../../ports/clock.ts'
import type { FolderAccess, FolderWatch, VolumeIdentity } from '../../ports/folders.ts'

type Dependencies = {
  readonly folderAccess: FolderAccess
  readonly clock: Clock
  readonly log: Log
  readonly onHint: (path: string) => void
  /** Called when the watch may have missed events. */
  readonly rescan: () => void
}

/** Watches the events of one folder, and retries if the watch fails. */
export class FolderEvents {
  readonly #folder: FolderSettings
  readonly #deps: Dependencies
  #watch: FolderWatch | null = null
  #watched: string | null = null
  #retryAtMs = Number.POSITIVE_INFINITY
  #areSent = false
  #problem: Problem | null = null
  #lastFailure: string | null = null

  constructor(folder: FolderSettings, deps: Dependencies) {
    this.#folder = folder
    this.#deps = deps
  }

  get problem(): Problem | null {
    return this.#problem
  }

  /** Whether the drive sends events. On a drive of unknown kind, this is true only once an event has arrived. */
  get areSent(): boolean {
    return this.#areSent
  }

  /** The next scan calls this for each folder that it enters. */
  get enter(): FolderWatch['enter'] {
    return this.#watch?.enter ?? null
  }

  isOf(volume: VolumeIdentity): boolean {
    return this.#watched === identityOf(volume)
  }

  /** Call after a scan, which also watches each folder that it enters. Clears the problem if no watch has failed. */
  noteScan(): void {
    if (this.enter !== null && this.#retryAtMs === Number.POSITIVE_INFINITY) this.#problem = null
  }

  /**
   * Call after a scan of a readable folder. Once the watch is ready, this requests one more scan to find the changes in
   * between.
   */
  async start(volume: VolumeIdentity, files: number): Promise<void> {
    const { clock, folderAccess, log, onHint, rescan } = this.#deps
    if (this.isOf(volume) && clock.monotonicMs() < this.#retryAtMs) return
    this.close()
    const sharing = await folderAccess.sharing(this.#folder.path)
    this.#watched = identityOf(volume)
    this.#areSent = sharing === 'own'
    this.#retryAtMs = Number.POSITIVE_INFINITY
    const startedAtMs = clock.monotonicMs()
    let hasFailed = false
    this.#watch = folderAccess.watch(
      this.#folder,
      {
        ready: () => {
          if (hasFailed) return
          this.#problem = null
          rescan()
        },
        hint: (path) => {
          this.#areSent = sharing !== 'shared'
          onHint(path)
        },
        error: (detail) => {
          hasFailed = true
          this.#problem = problemOf('folder-not-watched', { detail })
          const nowMs = clock.monotonicMs()
          this.#retryAtMs = nowMs + FOLDER_EVENTS_RETRY_DELAY_MS
          // Do not log a retry that fails at once for the same reason.
          const isRepeated =
            this.#lastFailure === detail && nowMs - startedAtMs < FOLDER_EVENTS_RETRY_DELAY_MS
          if (!isRepeated)
            log.warn('folder events failed; scanning instead', { folder: this.#folder.path, detail })
          this.#lastFailure = detail
          rescan()
        },
      },
      { sharing, files },
    )
    if (this.#watch.enter !== null) rescan()
  }

  close(): void {
    this.#watch?.close()
    this.#watch = null
    this.#watched = null
  }
}

const identityOf = ({ device, inode }: VolumeIdentity): string => `${device}:${inode}`
