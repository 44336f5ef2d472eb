import type { Clock } from '../ports/clock.ts'
import type { Drive, Drives } from '../ports/folders.ts'

/**
 * Hard case: A share does not respond to a request for its free space.
 * After 5 s, Sluice shows that the share does not respond. It sends no second request before the first one ends.
 * While two drives hang, it polls no other drive.
 */

const POLL_INTERVAL_MS = 60_000
/** A share whose server is gone may answer after minutes, or never. */
const ANSWER_TIMEOUT_MS = 5_000
/**
 * A hanging call blocks a thread of the pool that also reads recordings. While this many calls hang, Sluice polls no
 * other drive.
 */
const MAX_HANGING_CALLS = 2

export type WatchedDrive = {
  readonly folders: readonly string[]
  /** The last answer of the drive; null if there is none. */
  readonly drive: Drive | null
  readonly answering: boolean
}

type Answer = { readonly drive: Drive | null; readonly answering: boolean }

type Dependencies = {
  readonly drives: Drives
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly folders: () => readonly string[]
  /** The system's ID of the drive on which Sluice last found the folder; null if it never found the folder. */
  readonly deviceOf: (folder: string) => string | null
  readonly timeoutMs?: number
}

/** Polls the free space of the folders' drives once a minute. A hung drive blocks no other work. */
export class SpaceWatch {
  readonly #deps: Dependencies
  readonly #hanging = new Set<string>()
  readonly #answers = new Map<string, Answer>()
  /**
   * The key of each folder at the last poll: the result of `deviceOf`, or the path of the folder if that is null.
   */
  #keys: ReadonlyMap<string, string> = new Map()
  #polledAtMs = Number.NEGATIVE_INFINITY
  /** The folders of the last poll, as JSON. If the list has changed, poll at once. */
  #polledFolders = '[]'
  #isPolling = false

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Starts a poll if one is due. Returns true if a poll has started. */
  tick(): boolean {
    const nowMs = this.#deps.clock.monotonicMs()
    const folders = JSON.stringify(this.#deps.folders())
    const isDue = nowMs - this.#polledAtMs >= POLL_INTERVAL_MS || folders !== this.#polledFolders
    if (this.#isPolling || !isDue) return false
    this.#polledAtMs = nowMs
    this.#polledFolders = folders
    void this.poll()
    return true
  }

  /** Polls one drive after the other, and waits at most `timeoutMs` for each. */
  async poll(): Promise<void> {
    this.#isPolling = true
    const { folders, deviceOf } = this.#deps
    this.#keys = new Map(folders().map((folder) => [folder, deviceOf(folder) ?? folder]))
    const folderByKey = new Map([...this.#keys].map(([folder, key]) => [key, folder]))
    for (const key of this.#answers.keys()) if (!folderByKey.has(key)) this.#answers.delete(key)
    for (const [key, folder] of folderByKey) {
      if (this.#hanging.has(key) || this.#hanging.size >= MAX_HANGING_CALLS) continue
      await this.#pollDrive(key, folder)
    }
    this.#isPolling = false
  }

  /** Each known drive once, with its watched folders. */
  watched(): readonly WatchedDrive[] {
    const drives = new Map<string, WatchedDrive>()
    for (const [folder, key] of this.#keys) {
      const answer = this.#answers.get(key)
      if (answer === undefined || (answer.drive === null && answer.answering)) continue
      const id = answer.drive?.device ?? key
      const others = drives.get(id)?.folders ?? []
      drives.set(id, { ...answer, folders: [...others, folder] })
    }
    return [...drives.values()]
  }

  async #pollDrive(key: string, folder: string): Promise<void> {
    this.#hanging.add(key)
    const answer = this.#deps.drives.of(folder).then(
      (drive) => this.#answers.set(key, { drive, answering: true }),
      () => this.#answers.set(key, { drive: null, answering: true }),
    )
    const ended = answer.then(() => this.#hanging.delete(key))
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), this.#deps.timeoutMs ?? ANSWER_TIMEOUT_MS)
      timer.unref()
    })
    const firstToEnd = await Promise.race([ended, timeout])
    clearTimeout(timer)
    if (firstToEnd === 'late')
      this.#answers.set(key, { drive: this.#answers.get(key)?.drive ?? null, answering: false })
  }
}
