/** A drive that spins up or a share that is asked again takes seconds; one that says nothing for so long is gone for now. */
const patience = 30_000
/** Looks within it. Counted, since a clock may go on while the PC sleeps. */
const looks = 8
/** Of the threads that all drives share (small-heap.ts). */
const callsAtOnce = 4
/** A share that was mounted anew answers, while what was asked before never will: one question now and then finds out. */
const askAgainMs = 120_000
const mostLate = callsAtOnce + 3

/** As the system would say it, had it any patience of its own. */
export class DriveSilentError extends Error {
  readonly code = 'ETIMEDOUT'
  readonly syscall = 'wait'

  constructor() {
    super('the drive did not answer')
  }
}

export const unlessSilent =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof DriveSilentError) return instead
    throw error
  }

type Drive = {
  underWay: number
  /** Given up by whoever asked, and still holding a thread. */
  late: number
  lateSinceMs: number
  /** Whoever waits for a call to end. */
  readonly waiting: (() => void)[]
}

const fresh = (): Drive => ({ underWay: 0, late: 0, lateSinceMs: 0, waiting: [] })

type Options = {
  readonly patienceMs?: number | undefined
  readonly askAgainMs?: number
}

/**
 * A share whose server is gone answers after minutes or never, and each question keeps its thread meanwhile. So a drive
 * has few questions under way at a time, and once one of them was given up, all others are answered in its place until
 * it comes back: what lies there waits, everybody else goes on.
 */
export class DriveCalls {
  readonly #options: Options
  readonly #drives = new Map<string, Drive>()
  /** By folder, as far as it is known: folders on one share are silent together. */
  readonly #devices = new Map<string, string>()

  constructor(options: Options = {}) {
    this.#options = options
  }

  liesOn(folder: string, device: string): void {
    this.#devices.set(folder, device)
  }

  isSilent(folder: string | null): boolean {
    return this.#of(folder).late > 0
  }

  /** Something else hangs there, and holds no more than itself. */
  hangs(folder: string | null, until: Promise<unknown>): void {
    const drive = this.#of(folder)
    this.#isLate(drive)
    const ended = () => {
      drive.late -= 1
    }
    until.then(ended, ended)
  }

  /** Rejects with a DriveSilentError. What comes too late is handed to `late`, to be put away. */
  async ask<T>(folder: string | null, call: () => Promise<T>, late?: (value: T) => void): Promise<T> {
    const drive = this.#of(folder)
    while (drive.late === 0 && drive.underWay >= callsAtOnce)
      await new Promise<void>((turn) => drive.waiting.push(turn))
    drive.underWay += 1
    return this.#answered(folder, drive, call, late).finally(() => {
      drive.underWay -= 1
      drive.waiting.shift()?.()
    })
  }

  /**
   * For what asks the drive many times in a row: `alive` is called at each answer, and throws where nobody waits any
   * more.
   */
  follow<T>(folder: string, work: (alive: () => void) => Promise<T>): Promise<T> {
    return this.#answered(folder, this.#of(folder), work)
  }

  /** For what is under way already and is only put away: no longer than for an answer, and not where nobody answers. */
  async end(folder: string | null, work: Promise<void>): Promise<void> {
    work.catch(() => {})
    if (this.isSilent(folder)) return
    await this.#answered(folder, this.#of(folder), () => work).catch(unlessSilent(undefined))
  }

  #answered<T>(
    folder: string | null,
    drive: Drive,
    work: (alive: () => void) => Promise<T>,
    late?: (value: T) => void,
  ): Promise<T> {
    const isTrial = drive.late > 0
    if (isTrial && !this.#mayTry(drive)) return Promise.reject(new DriveSilentError())
    return new Promise((resolve, reject) => {
      let left = looks
      let isOver = false
      let isLate = false
      const giveUp = () => {
        if (isOver || left > 0) return
        clearInterval(timer)
        isLate = true
        this.#isLate(drive)
        reject(new DriveSilentError())
      }
      const timer = setInterval(
        () => {
          left -= 1
          // An answer may have come while this loop stood still: it is taken first.
          if (left === 0) setImmediate(giveUp)
        },
        (this.#options.patienceMs ?? patience) / looks,
      )
      const alive = () => {
        if (isLate) throw new DriveSilentError()
        left = looks
      }
      const ended = () => {
        isOver = true
        clearInterval(timer)
        if (isLate) drive.late -= 1
        // It answers: what was asked of it before is not waited for by anybody.
        else if (isTrial && folder !== null) this.#drives.set(this.#keyOf(folder), fresh())
      }
      const answer = async () => work(alive)
      answer().then(
        (value) => {
          ended()
          if (isLate) late?.(value)
          resolve(value)
        },
        (error: unknown) => {
          ended()
          reject(error)
        },
      )
    })
  }

  #isLate(drive: Drive): void {
    drive.late += 1
    drive.lateSinceMs = performance.now()
    for (const turn of drive.waiting.splice(0)) turn()
  }

  #mayTry(drive: Drive): boolean {
    const again = this.#options.askAgainMs ?? askAgainMs
    if (drive.late >= mostLate || performance.now() - drive.lateSinceMs < again) return false
    drive.lateSinceMs = performance.now()
    return true
  }

  #keyOf(folder: string): string {
    return this.#devices.get(folder) ?? folder
  }

  #of(folder: string | null): Drive {
    // Of what lies in no known folder nothing can be said for the next question.
    if (folder === null) return fresh()
    const known = this.#drives.get(this.#keyOf(folder)) ?? fresh()
    this.#drives.set(this.#keyOf(folder), known)
    return known
  }
}
