/**
 * Hard case: A drive hangs, for example because the server of a share is gone or a USB drive is dead.
 * A drive gets at most four calls at a time. After 30 s without an answer, its folders are offline and their
 * recordings wait. One probe every two minutes finds out when the drive is back. Sluice abandons a hash that makes
 * no progress for a minute. Recordings on a hung drive take no upload slot, and their parts never probe the storage.
 */

/**
 * Hard case: The drive hangs during a removal.
 * Every call has a timeout and runs on a thread. After the timeout, Sluice abandons the call, but the drive may still
 * perform it later, even after Sluice was killed. So before the removal renames the file, the journal stores its old
 * name and its new name.
 */

/**
 * After this time without an answer, a drive counts as hung. A drive that spins up, or a share that reconnects, answers
 * within seconds.
 */
const CALL_TIMEOUT_MS = 30_000
/** The timeout counts this many timer ticks. Sluice reads no clock, because a clock may run on while the PC sleeps. */
const TIMEOUT_TICKS = 8
/** Each call uses a thread, and all drives share one thread pool (`memory-and-threads.ts`). */
const MAX_CONCURRENT_CALLS = 4
/**
 * Sluice probes a hung drive this often. It does not wait for the hung calls, because after a remount, these hang
 * forever while new calls succeed.
 */
const PROBE_INTERVAL_MS = 120_000
/** A drive with this many hung calls gets no more probes until one of these calls ends, because each holds a thread. */
const MAX_HUNG_CALLS = MAX_CONCURRENT_CALLS + 3

/** Has the fields of a system error, so that callers treat it like one. */
export class DriveTimeoutError extends Error {
  readonly code = 'ETIMEDOUT'
  readonly syscall = 'wait'

  constructor() {
    super('the drive did not answer')
  }
}

/** For `catch`: returns `fallback` if the drive timed out, and rethrows every other error. */
export const onDriveTimeout =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (error instanceof DriveTimeoutError) return fallback
    throw error
  }

type Drive = {
  runningCalls: number
  /** Calls that timed out, and other hung work; each still holds a thread. */
  hungCalls: number
  /** Time of the last timeout or the last probe. */
  lastTryAtMs: number
  /** Callers that wait for a free slot. */
  readonly waiting: (() => void)[]
}

const newDrive = (): Drive => ({ runningCalls: 0, hungCalls: 0, lastTryAtMs: 0, waiting: [] })

type Options = {
  readonly timeoutMs?: number | undefined
  readonly probeIntervalMs?: number
}

/**
 * Limits the calls to each drive, because a call to a hung drive holds its thread for minutes or forever. Once one call
 * times out, later calls fail at once, except for a probe every two minutes, until the drive answers again.
 */
export class DriveCalls {
  readonly #options: Options
  readonly #drives = new Map<string, Drive>()
  /** The device of each folder, if known. All folders on one device hang together. */
  readonly #devices = new Map<string, string>()

  constructor(options: Options = {}) {
    this.#options = options
  }

  setDevice(folder: string, device: string): void {
    this.#devices.set(folder, device)
  }

  isHung(folder: string | null): boolean {
    return this.#driveOf(folder).hungCalls > 0
  }

  /** Marks the drive as hung until `ended` settles. For work that does not go through `run`, such as a hash thread. */
  addHungWork(folder: string | null, ended: Promise<unknown>): void {
    const drive = this.#driveOf(folder)
    this.#markHung(drive)
    const onEnd = () => {
      drive.hungCalls -= 1
    }
    ended.then(onEnd, onEnd)
  }

  /** Rejects with a DriveTimeoutError if the drive does not answer. `onLate` releases a result that arrives later. */
  async run<T>(folder: string | null, call: () => Promise<T>, onLate?: (value: T) => void): Promise<T> {
    const drive = this.#driveOf(folder)
    while (drive.hungCalls === 0 && drive.runningCalls >= MAX_CONCURRENT_CALLS)
      await new Promise<void>((slotFree) => drive.waiting.push(slotFree))
    drive.runningCalls += 1
    return this.#withTimeout(folder, drive, call, onLate).finally(() => {
      drive.runningCalls -= 1
      drive.waiting.shift()?.()
    })
  }

  /**
   * For work that calls the drive many times. After each answer, the work calls `restartTimeout`, which throws if the
   * timeout has already passed. Unlike `run`, this needs no free slot.
   */
  runSequence<T>(folder: string, work: (restartTimeout: () => void) => Promise<T>): Promise<T> {
    return this.#withTimeout(folder, this.#driveOf(folder), work)
  }

  /** Waits for a close that has already started, but no longer than the timeout. Does not wait for a hung drive. */
  async waitForClose(folder: string | null, closing: Promise<void>): Promise<void> {
    closing.catch(() => {})
    if (this.isHung(folder)) return
    await this.#withTimeout(folder, this.#driveOf(folder), () => closing).catch(onDriveTimeout(undefined))
  }

  #withTimeout<T>(
    folder: string | null,
    drive: Drive,
    work: (restartTimeout: () => void) => Promise<T>,
    onLate?: (value: T) => void,
  ): Promise<T> {
    const isProbe = drive.hungCalls > 0
    if (isProbe && !this.#mayProbe(drive)) return Promise.reject(new DriveTimeoutError())
    return new Promise((resolve, reject) => {
      let ticksLeft = TIMEOUT_TICKS
      let hasEnded = false
      let isLate = false
      const giveUp = () => {
        if (hasEnded || ticksLeft > 0) return
        clearInterval(timer)
        isLate = true
        this.#markHung(drive)
        reject(new DriveTimeoutError())
      }
      const timer = setInterval(
        () => {
          ticksLeft -= 1
          // If the event loop was blocked, the answer may already be queued. `setImmediate` lets it arrive first.
          if (ticksLeft === 0) setImmediate(giveUp)
        },
        (this.#options.timeoutMs ?? CALL_TIMEOUT_MS) / TIMEOUT_TICKS,
      )
      const restartTimeout = () => {
        if (isLate) throw new DriveTimeoutError()
        ticksLeft = TIMEOUT_TICKS
      }
      const onEnd = () => {
        hasEnded = true
        clearInterval(timer)
        if (isLate) drive.hungCalls -= 1
        // The drive answers again. Callers no longer wait for the old calls, so the drive gets a new state.
        else if (isProbe && folder !== null) this.#drives.set(this.#keyOf(folder), newDrive())
      }
      const start = async () => work(restartTimeout)
      start().then(
        (value) => {
          onEnd()
          if (isLate) onLate?.(value)
          resolve(value)
        },
        (error: unknown) => {
          onEnd()
          reject(error)
        },
      )
    })
  }

  #markHung(drive: Drive): void {
    drive.hungCalls += 1
    drive.lastTryAtMs = performance.now()
    for (const slotFree of drive.waiting.splice(0)) slotFree()
  }

  #mayProbe(drive: Drive): boolean {
    const intervalMs = this.#options.probeIntervalMs ?? PROBE_INTERVAL_MS
    if (drive.hungCalls >= MAX_HUNG_CALLS || performance.now() - drive.lastTryAtMs < intervalMs) return false
    drive.lastTryAtMs = performance.now()
    return true
  }

  #keyOf(folder: string): string {
    return this.#devices.get(folder) ?? folder
  }

  #driveOf(folder: string | null): Drive {
    // The drive of a path outside the known folders is not tracked.
    if (folder === null) return newDrive()
    const drive = this.#drives.get(this.#keyOf(folder)) ?? newDrive()
    this.#drives.set(this.#keyOf(folder), drive)
    return drive
  }
}
