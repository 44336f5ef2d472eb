import type { Clock } from '../ports/clock.ts'
import type { Drive, Drives } from '../ports/folders.ts'

const LOOK_EVERY_MS = 60_000
/** A share whose server is gone may answer after minutes, or never. */
const PATIENCE_MS = 5_000
/** Calls that hang hold threads that read recordings: with so many under way no other drive is asked. */
const MOST_HANGING = 2

export type WatchedDrive = {
  readonly folders: readonly string[]
  /** As it was when it last answered. */
  readonly drive: Drive | null
  readonly answering: boolean
}

type Answer = { readonly drive: Drive | null; readonly answering: boolean }

type Dependencies = {
  readonly drives: Drives
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly folders: () => readonly string[]
  /** The drive that a folder was last seen on; null where it never was. */
  readonly deviceOf: (folder: string) => string | null
  readonly patienceMs?: number
}

/** How much room the drives of the folders have, asked once a minute and never waited for. */
export class RoomWatch {
  readonly #deps: Dependencies
  readonly #hanging = new Set<string>()
  readonly #answers = new Map<string, Answer>()
  /** By folder, as of the last look: the drive that it was last seen on, or itself. */
  #keys: ReadonlyMap<string, string> = new Map()
  #lookedAtMs = Number.NEGATIVE_INFINITY
  /** Another folder is not kept waiting for the minute to pass. */
  #lookedIn = '[]'
  #looking = false

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** True when a look has begun. */
  tick(): boolean {
    const nowMs = this.#deps.clock.monotonicMs()
    const folders = JSON.stringify(this.#deps.folders())
    const isDue = nowMs - this.#lookedAtMs >= LOOK_EVERY_MS || folders !== this.#lookedIn
    if (this.#looking || !isDue) return false
    this.#lookedAtMs = nowMs
    this.#lookedIn = folders
    void this.look()
    return true
  }

  /** One call for each drive, one after the other; one that hangs is left behind. */
  async look(): Promise<void> {
    this.#looking = true
    const { folders, deviceOf } = this.#deps
    this.#keys = new Map(folders().map((folder) => [folder, deviceOf(folder) ?? folder]))
    const asked = new Map([...this.#keys].map(([folder, key]) => [key, folder]))
    for (const key of this.#answers.keys()) if (!asked.has(key)) this.#answers.delete(key)
    for (const [key, folder] of asked) {
      if (this.#hanging.has(key) || this.#hanging.size >= MOST_HANGING) continue
      await this.#ask(key, folder)
    }
    this.#looking = false
  }

  /** Those that are there, each once, with its folders. */
  watched(): readonly WatchedDrive[] {
    const drives = new Map<string, WatchedDrive>()
    for (const [folder, key] of this.#keys) {
      const answer = this.#answers.get(key)
      if (answer === undefined || (answer.drive === null && answer.answering)) continue
      const id = answer.drive?.device ?? key
      const known = drives.get(id)
      drives.set(id, { ...answer, folders: [...(known?.folders ?? []), folder] })
    }
    return [...drives.values()]
  }

  async #ask(key: string, folder: string): Promise<void> {
    this.#hanging.add(key)
    const answered = this.#deps.drives.of(folder).then(
      (drive) => this.#answers.set(key, { drive, answering: true }),
      () => this.#answers.set(key, { drive: null, answering: true }),
    )
    const ended = answered.then(() => this.#hanging.delete(key))
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), this.#deps.patienceMs ?? PATIENCE_MS)
      timer.unref()
    })
    const first = await Promise.race([ended, patience])
    clearTimeout(timer)
    if (first === 'late')
      this.#answers.set(key, { drive: this.#answers.get(key)?.drive ?? null, answering: false })
  }
}
