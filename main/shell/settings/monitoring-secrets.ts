import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import {
  type MonitoringSecretName,
  type MonitoringSecrets,
  monitoringSecretNames,
  withMonitoringSecrets,
} from '../../../shared/settings/monitoring-secrets.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { besideOf, writeDurably } from '../../local-files/durable-file.ts'
import { Refused } from '../calls/answer-call.ts'
import type { Keychain, Secrets } from './secrets.ts'
import type { SettingsStore } from './settings-store.ts'
import { writeRefused } from './write-error.ts'

const keptSchema = z.partialRecord(z.enum(monitoringSecretNames), z.string())

/**
 * The token and the URLs of those who watch this station: encrypted by the system's keychain on disk, in clear only in
 * memory and in the agent. What cannot be decrypted any more is entered again.
 */
export class KeptMonitoring {
  readonly #file: string
  readonly #keychain: Keychain
  readonly #storage: Pick<Secrets, 'describe'>
  readonly #log: (message: string) => void
  #kept: MonitoringSecrets = {}
  #isUnread = false

  constructor(options: {
    readonly folder: string
    readonly keychain: Keychain
    readonly storage: Pick<Secrets, 'describe'>
    readonly log: (message: string) => void
  }) {
    this.#file = path.join(options.folder, 'monitoring.bin')
    this.#keychain = options.keychain
    this.#storage = options.storage
    this.#log = options.log
  }

  /** There is something, and nobody knows what: the keychain may be locked. */
  get isUnread(): boolean {
    return this.#isUnread
  }

  get kept(): MonitoringSecrets {
    return this.#kept
  }

  load(): void {
    if (!existsSync(this.#file)) return
    try {
      this.#kept = keptSchema.parse(JSON.parse(this.#keychain.decryptString(readFileSync(this.#file))))
      this.#isUnread = false
    } catch {
      this.#isUnread = true
      // The file stays: the keychain may only be locked just now.
      this.#log('the stored token and URLs of monitoring cannot be decrypted')
    }
  }

  /** What was typed into the settings file moves to the keychain; where there is none, it is used and stays there. */
  adopt(store: Pick<SettingsStore, 'monitoringInFile' | 'removeMonitoring'>): void {
    const typed = store.monitoringInFile
    if (Object.keys(typed).length === 0 || !this.#storage.describe().protects) return
    try {
      this.save(typed, false)
      store.removeMonitoring(monitoringSecretNames)
      this.#log('token and URLs of monitoring have been moved from the settings file to the keychain')
    } catch (error) {
      this.#log(`token and URLs of monitoring stay in the settings file: ${(error as Error).message}`)
    }
  }

  /**
   * The settings as the agent gets them, with what stands in files before what is kept. While that cannot be read, nobody
   * knows whether metrics had a token, and they are told to nobody without one.
   */
  laidInto(settings: Settings, inFiles: MonitoringSecrets): Settings {
    const whole = withMonitoringSecrets(settings, { ...this.#kept, ...inFiles })
    const { metrics, ...rest } = whole.monitoring
    return this.#isUnread && metrics?.token === undefined ? { ...whole, monitoring: rest } : whole
  }

  save(more: MonitoringSecrets, acceptUnprotected: boolean): void {
    this.#readAgain()
    const { available, protects } = this.#storage.describe()
    if (available && !protects && !acceptUnprotected)
      throw new Refused('No keychain here, so other programs could read it. Confirm that first.')
    this.#keep({ ...this.#kept, ...more }, available)
  }

  forget(which: MonitoringSecretName): void {
    this.#readAgain()
    const { [which]: _gone, ...rest } = this.#kept
    this.#keep(rest, this.#storage.describe().available)
  }

  /** Before the file is written over: a keychain that was locked at the start may be open by now. */
  #readAgain(): void {
    if (this.#isUnread) this.load()
  }

  #keep(kept: MonitoringSecrets, available: boolean): void {
    try {
      if (Object.keys(kept).length === 0)
        for (const file of [this.#file, besideOf(this.#file)]) rmSync(file, { force: true })
      else if (available) writeDurably(this.#file, this.#keychain.encryptString(JSON.stringify(kept)))
    } catch (error) {
      throw writeRefused('It could not be stored.', error)
    }
    this.#kept = kept
    this.#isUnread = false
  }
}
