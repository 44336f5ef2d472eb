import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { type RunningStage, runStage, Wakeup } from '../../stage/stage.ts'
import type { ReportError } from '../../stage/trouble.ts'
import { Watcher } from './watcher.ts'

const LEAVE_WITHIN_MS = 5_000

type Dependencies = Omit<ConstructorParameters<typeof Watcher>[1], 'wake' | 'inner'> & {
  readonly reportError: ReportError
}

/** One watcher for each folder of the settings, each with its own rhythm. */
export class WatchedFolders {
  readonly #deps: Dependencies
  readonly #watchers = new Map<Watcher, RunningStage>()
  readonly #leaving: Promise<void>[] = []

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  of(folder: string): Watcher | undefined {
    return this.#all().find((watcher) => this.#deps.paths.same(watcher.folder.path, folder))
  }

  /** Every folder has been looked through since the start, or cannot be. */
  get looked(): boolean {
    return this.#all().every((watcher) => watcher.looked)
  }

  /** Every folder is there, and its files are known. A folder that is offline may still bring some. */
  get complete(): boolean {
    const all = this.#all()
    return all.length > 0 && all.every((watcher) => watcher.looked && watcher.state.state === 'watching')
  }

  rescan(): void {
    for (const watcher of this.#all()) watcher.rescan()
  }

  /**
   * A folder whose settings did not change goes on undisturbed. Of two spellings of one folder, which settings of an
   * earlier Sluice may hold, the first is watched: its files are one recording each.
   */
  async watch(folders: readonly FolderSettings[]): Promise<void> {
    const { paths } = this.#deps
    const wanted = folders
      .filter((folder, index) => folders.findIndex((other) => paths.same(other.path, folder.path)) === index)
      .map((folder) => ({
        folder,
        inner: folders.map((other) => other.path).filter((other) => paths.contains(folder.path, other)),
      }))
    const same = (watcher: Watcher) =>
      wanted.find(
        ({ folder, inner }) =>
          JSON.stringify([watcher.folder, watcher.inner]) === JSON.stringify([folder, inner]),
      )
    for (const [watcher, running] of this.#watchers) {
      if (same(watcher) !== undefined) continue
      this.#watchers.delete(watcher)
      this.#leaving.push(running.stop())
    }
    // A drive that does not answer holds its own look; what else was set is not kept waiting for it.
    await this.#left()
    const kept = this.#all().map(same)
    const { reportError, ...deps } = this.#deps
    const failed = { reportError, journal: deps.journal }
    for (const { folder, inner } of wanted.filter((candidate) => !kept.includes(candidate))) {
      const wakeup = new Wakeup()
      const watcher = new Watcher(folder, { ...deps, wake: () => wakeup.hint(), inner })
      this.#watchers.set(watcher, runStage(watcher, failed, wakeup))
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watchers.values()].map((running) => running.stop()))
    await this.#left()
  }

  async #left(): Promise<void> {
    const timeout = new Promise<void>((resolve) => {
      setTimeout(resolve, LEAVE_WITHIN_MS).unref()
    })
    await Promise.race([Promise.all(this.#leaving), timeout])
  }

  #all(): Watcher[] {
    return [...this.#watchers.keys()]
  }
}
