import path from 'node:path'
import { z } from 'zod'
import {
  type MonitoringSecretName,
  type MonitoringSecrets,
  monitoringSecretNames,
  withMonitoringSecrets,
} from '../../shared/settings/monitoring-secrets.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { type Keychain, KeychainFile, requireConsent } from './keychain-file.ts'
import type { Secrets } from './secrets.ts'
import type { SettingsStore } from './settings-store.ts'

const storedSchema = z.partialRecord(z.enum(monitoringSecretNames), z.string())

/**
 * The token and the URLs of monitoring. Only the main process and the agent have them in clear text. The keychain
 * encrypts the file; only `ownerOnlyKeychain` relies on file permissions instead. Without any keychain, the secrets
 * stay in memory. If the file can no longer be decrypted, the user must enter them again.
 */
export class MonitoringSecretStore {
  readonly #file: KeychainFile
  readonly #storage: Pick<Secrets, 'describe'>
  readonly #log: (message: string) => void
  #secrets: MonitoringSecrets = {}
  #isLocked = false

  constructor(options: {
    readonly folder: string
    readonly keychain: Keychain
    readonly storage: Pick<Secrets, 'describe'>
    readonly log: (message: string) => void
    /** The name of the file. */
    readonly file?: string
  }) {
    this.#file = new KeychainFile(
      path.join(options.folder, options.file ?? 'monitoring.bin'),
      options.keychain,
    )
    this.#storage = options.storage
    this.#log = options.log
  }

  /** Whether the stored secrets cannot be decrypted, for example because the keychain is locked. */
  get isLocked(): boolean {
    return this.#isLocked
  }

  get secrets(): MonitoringSecrets {
    return this.#secrets
  }

  load(): void {
    try {
      const text = this.#file.read()
      if (text === null) return
      this.#secrets = storedSchema.parse(JSON.parse(text))
      this.#isLocked = false
    } catch {
      this.#isLocked = true
      this.#log('the stored token and URLs of monitoring cannot be decrypted')
    }
  }

  /** Moves secrets from the settings file to the keychain. Without a keychain, they stay in the file. */
  adopt(store: Pick<SettingsStore, 'monitoringInFile' | 'removeMonitoring'>): void {
    const { monitoringInFile } = store
    if (Object.keys(monitoringInFile).length === 0 || !this.#storage.describe().protects) return
    try {
      this.save(monitoringInFile, false)
      store.removeMonitoring(monitoringSecretNames)
      this.#log('token and URLs of monitoring have been moved from the settings file to the keychain')
    } catch (error) {
      this.#log(`token and URLs of monitoring stay in the settings file: ${(error as Error).message}`)
    }
  }

  /**
   * The settings for the agent. Secrets in settings files (`inFiles`) override stored secrets. If the stored secrets
   * cannot be decrypted and no token is known, turns metrics off: otherwise any program could read the metrics.
   */
  mergeInto(settings: Settings, inFiles: MonitoringSecrets): Settings {
    const whole = withMonitoringSecrets(settings, { ...this.#secrets, ...inFiles })
    const { metrics, ...rest } = whole.monitoring
    return this.#isLocked && metrics?.token === undefined ? { ...whole, monitoring: rest } : whole
  }

  save(newSecrets: MonitoringSecrets, acceptUnprotected: boolean): void {
    this.#reload()
    const storage = this.#storage.describe()
    requireConsent(storage, acceptUnprotected, 'token or URL')
    this.#store({ ...this.#secrets, ...newSecrets }, storage.available)
  }

  forget(which: MonitoringSecretName): void {
    this.#reload()
    const { [which]: _gone, ...rest } = this.#secrets
    this.#store(rest, this.#storage.describe().available)
  }

  /**
   * Before a write, tries again to decrypt the secrets, because the user may have unlocked the keychain since the
   * start. The write discards secrets that still cannot be decrypted.
   */
  #reload(): void {
    if (this.#isLocked) this.load()
  }

  #store(secrets: MonitoringSecrets, available: boolean): void {
    const sentence = 'The token or URL could not be stored.'
    if (Object.keys(secrets).length === 0) this.#file.remove(sentence)
    else if (available) this.#file.write(secrets, sentence)
    this.#secrets = secrets
    this.#isLocked = false
  }
}
