import { systemClock } from '../../shared/clock/clock.ts'
import type { Configuration } from '../../shared/ipc/agent-protocol.ts'
import type { Log } from '../agent/ports/clock.ts'
import { FollowedKeyFile } from '../managed/followed-key-file.ts'
import { managedFileOf } from '../managed/managed-file.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import type { RunOptions } from './run-command.ts'
import { effectiveSettings, type OwnSettings } from './settings-file.ts'

/** A replaced key file takes effect without a restart. */
const KEY_POLL_INTERVAL_MS = 15_000

/**
 * Settings of an agent without a window. Its own file is read once at start; the managed file is watched. If the settings
 * become unusable, the problem is reported and the last good ones stay in effect.
 */
export class HeadlessSettings {
  readonly #own: OwnSettings
  readonly #managed: ManagedStation
  readonly #keyFile: FollowedKeyFile
  #current: Configuration
  #ticker: NodeJS.Timeout | null = null
  #changed: (next: Configuration) => void = () => {}

  /** Throws if the station has no usable settings at start. */
  constructor(own: OwnSettings, options: Pick<RunOptions, 'data' | 'managed'>, log: Log) {
    this.#own = own
    this.#keyFile = new FollowedKeyFile({ clock: systemClock, log: log.warn })
    this.#managed = new ManagedStation({
      file: options.managed ?? managedFileOf(process.platform, process.env),
      dataFolder: options.data,
      hasOwnService: () => own.settings.service !== undefined,
      clock: systemClock,
      log: log.info,
      onChange: () => this.#refresh(),
    })
    this.#managed.read()
    this.#current = this.#read()
  }

  get current(): Configuration {
    return this.#current
  }

  watch(changed: (next: Configuration) => void): void {
    this.#changed = changed
    this.#managed.start()
    this.#ticker = setInterval(() => this.#refresh(), KEY_POLL_INTERVAL_MS)
  }

  stop(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker)
    this.#managed.stop()
  }

  #refresh(): void {
    if (this.#ticker === null) return
    const next = this.#readOrKeep()
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return
    this.#current = next
    this.#changed(next)
  }

  #readOrKeep(): Configuration {
    try {
      return this.#read()
    } catch (error) {
      return { ...this.#current, managedProblem: (error as Error).message.replaceAll('\n', '; ') }
    }
  }

  #read(): Configuration {
    const { managed, problem } = this.#managed.now
    // The address is missing because the managed file is unusable, so report that instead of the missing address.
    if (problem !== null && managed === null && this.#own.settings.service === undefined)
      throw new Error(`The managed settings cannot be used. ${problem}`)
    const readKey = (file: string) => this.#keyFile.read(file)
    const {
      settings,
      apiKey,
      problem: keyProblem,
    } = effectiveSettings(this.#own, managed, process.env, readKey)
    return { settings, apiKey, systemProxy: { kind: 'unknown' }, managedProblem: problem ?? keyProblem }
  }
}
