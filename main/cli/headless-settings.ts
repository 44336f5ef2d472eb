import type { Configuration } from '../../shared/ipc/agent-protocol.ts'
import { systemClock } from '../agent/platform/system-clock.ts'
import type { Log } from '../agent/ports/clock.ts'
import { FollowedKeyFile } from '../managed/followed-key-file.ts'
import { managedFileOf } from '../managed/managed-file.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import type { RunOptions } from './run-command.ts'
import { type OwnSettings, settingsInForce } from './settings-file.ts'

/** A key file that is replaced is taken up without a restart. */
const KEY_LOOK_MS = 15_000

/**
 * What the headless agent runs on. Its own file was read when it started; the managed one is followed. Settings that
 * become unusable while it runs are told, and those that held go on.
 */
export class HeadlessSettings {
  readonly #own: OwnSettings
  readonly #managed: ManagedStation
  readonly #keyFile: FollowedKeyFile
  #inForce: Configuration
  #ticker: NodeJS.Timeout | null = null
  #changed: (next: Configuration) => void = () => {}

  /** Throws where the station has no settings to begin with. */
  constructor(own: OwnSettings, options: Pick<RunOptions, 'data' | 'managed'>, log: Log) {
    this.#own = own
    this.#keyFile = new FollowedKeyFile({ clock: systemClock, log: log.warn })
    this.#managed = new ManagedStation({
      file: options.managed ?? managedFileOf(process.platform, process.env),
      dataFolder: options.data,
      hasOwnService: () => own.settings.service !== undefined,
      clock: systemClock,
      log: log.info,
      onChange: () => this.#look(),
    })
    this.#managed.read()
    this.#inForce = this.#read()
  }

  get inForce(): Configuration {
    return this.#inForce
  }

  follow(changed: (next: Configuration) => void): void {
    this.#changed = changed
    this.#managed.start()
    this.#ticker = setInterval(() => this.#look(), KEY_LOOK_MS)
  }

  stop(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker)
    this.#managed.stop()
  }

  #look(): void {
    if (this.#ticker === null) return
    const next = this.#readOrKeep()
    if (JSON.stringify(next) === JSON.stringify(this.#inForce)) return
    this.#inForce = next
    this.#changed(next)
  }

  #readOrKeep(): Configuration {
    try {
      return this.#read()
    } catch (error) {
      return { ...this.#inForce, managedProblem: (error as Error).message.replaceAll('\n', '; ') }
    }
  }

  #read(): Configuration {
    const { managed, problem } = this.#managed.now
    // Without an address of its own the station has none because the managed file cannot be used: that is the reason.
    if (problem !== null && managed === null && this.#own.settings.service === undefined)
      throw new Error(`The managed settings cannot be used. ${problem}`)
    const readKey = (file: string) => this.#keyFile.read(file)
    const { settings, apiKey, problem: ofKey } = settingsInForce(this.#own, managed, process.env, readKey)
    return { settings, apiKey, systemProxy: { kind: 'unknown' }, managedProblem: problem ?? ofKey }
  }
}
