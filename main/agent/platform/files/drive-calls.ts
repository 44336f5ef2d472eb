/** A drive that spins up or a share that is asked again takes seconds; one that says nothing for so long is gone for now. */
const patience = 30_000
/** Of the threads that all drives share (small-heap.ts): three dead drives leave enough to read from the others. */
const callsAtOnce = 4

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
  /** Whoever waits for a call to end. */
  readonly waiting: (() => void)[]
}

/**
 * A share whose server is gone answers after minutes or never, and each question keeps its thread meanwhile. So a folder
 * has few questions under way at a time, and once one of them was given up, all others are answered in its place until
 * it comes back: that folder's files wait, everybody else goes on.
 */
export class DriveCalls {
  readonly #patienceMs: number
  readonly #drives = new Map<string, Drive>()

  constructor(patienceMs = patience) {
    this.#patienceMs = patienceMs
  }

  /** Rejects with a DriveSilentError. What comes too late is handed to `late`, to be put away. */
  async ask<T>(folder: string | null, call: () => Promise<T>, late?: (value: T) => void): Promise<T> {
    const drive = this.#of(folder)
    while (drive.late === 0 && drive.underWay >= callsAtOnce)
      await new Promise<void>((turn) => drive.waiting.push(turn))
    drive.underWay += 1
    return this.#answered(drive, call, late).finally(() => {
      drive.underWay -= 1
      drive.waiting.shift()?.()
    })
  }

  /**
   * For what asks the drive many times in a row: `alive` is called at each answer, and throws where nobody waits any
   * more.
   */
  follow<T>(folder: string, work: (alive: () => void) => Promise<T>): Promise<T> {
    return this.#answered(this.#of(folder), work)
  }

  /** For what is under way already and is only put away: no longer than for an answer, and not where nobody answers. */
  async end(folder: string | null, work: Promise<void>): Promise<void> {
    await this.#answered(this.#of(folder), () => work).catch(unlessSilent(undefined))
    work.catch(() => {})
  }

  #answered<T>(drive: Drive, work: (alive: () => void) => Promise<T>, late?: (value: T) => void): Promise<T> {
    if (drive.late > 0) return Promise.reject(new DriveSilentError())
    return new Promise((resolve, reject) => {
      let isAlive = false
      let isLate = false
      const timer = setInterval(() => {
        if (isAlive) {
          isAlive = false
          return
        }
        clearInterval(timer)
        isLate = true
        drive.late += 1
        reject(new DriveSilentError())
        for (const turn of drive.waiting.splice(0)) turn()
      }, this.#patienceMs)
      const alive = () => {
        if (isLate) throw new DriveSilentError()
        isAlive = true
      }
      const ended = () => {
        clearInterval(timer)
        if (isLate) drive.late -= 1
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

  #of(folder: string | null): Drive {
    // Of what lies in no known folder nothing can be said for the next question.
    if (folder === null) return { underWay: 0, late: 0, waiting: [] }
    const known = this.#drives.get(folder) ?? { underWay: 0, late: 0, waiting: [] }
    this.#drives.set(folder, known)
    return known
  }
}
