import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { ReportError } from '../../stage/error-reporter.ts'
import { type RunningStage, runStage, Wakeup } from '../../stage/stage.ts'
import { Watcher } from './watcher.ts'

const STOP_TIMEOUT_MS = 5_000

type Dependencies = Omit<ConstructorParameters<typeof Watcher>[1], 'wake' | 'inner'> & {
  readonly reportError: ReportError
}

/** One watcher per folder of the settings, each with its own schedule. */
export class WatchedFolders {
  readonly #deps: Dependencies
  readonly #watchers = new Map<Watcher, RunningStage>()
  readonly #stopping: Promise<void>[] = []

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  of(folder: string): Watcher | undefined {
    return this.#all().find((watcher) => this.#deps.paths.same(watcher.folder.path, folder))
  }

  /** True once every folder was scanned since the start or cannot be scanned, and no scan is pending. */
  get scanned(): boolean {
    return this.#all().every((watcher) => watcher.scanned)
  }

  rescan(): void {
    for (const watcher of this.#all()) watcher.rescan()
  }

  /**
   * Replaces the watchers of all folders whose settings changed. Settings of an older version may list a folder twice
   * in different spellings. Sluice watches only the first spelling, so that each file becomes one recording.
   */
  async watch(folders: readonly FolderSettings[]): Promise<void> {
    const { paths } = this.#deps
    const configured = folders
      .filter((folder, index) => folders.findIndex((other) => paths.same(other.path, folder.path)) === index)
      .map((folder) => ({
        folder,
        inner: folders.map((other) => other.path).filter((other) => paths.contains(folder.path, other)),
      }))
    const findUnchanged = (watcher: Watcher) =>
      configured.find(
        ({ folder, inner }) =>
          JSON.stringify([watcher.folder, watcher.inner]) === JSON.stringify([folder, inner]),
      )
    for (const [watcher, running] of this.#watchers) {
      if (findUnchanged(watcher) !== undefined) continue
      this.#watchers.delete(watcher)
      this.#stopping.push(running.stop())
    }
    // A hung drive blocks its own watcher, so wait for the old watchers only until the timeout.
    await this.#stopped()
    const unchanged = this.#all().map(findUnchanged)
    const { reportError, ...deps } = this.#deps
    const errorHandling = { reportError, journal: deps.journal }
    for (const { folder, inner } of configured.filter((candidate) => !unchanged.includes(candidate))) {
      const wakeup = new Wakeup()
      const watcher = new Watcher(folder, { ...deps, wake: () => wakeup.hint(), inner })
      this.#watchers.set(watcher, runStage(watcher, errorHandling, wakeup))
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watchers.values()].map((running) => running.stop()))
    await this.#stopped()
  }

  async #stopped(): Promise<void> {
    const timeout = new Promise<void>((resolve) => {
      setTimeout(resolve, STOP_TIMEOUT_MS).unref()
    })
    await Promise.race([Promise.all(this.#stopping), timeout])
  }

  #all(): Watcher[] {
    return [...this.#watchers.keys()]
  }
}
