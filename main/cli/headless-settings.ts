import path from 'node:path'
import { systemClock } from '../../shared/clock/clock.ts'
import type { Configuration } from '../../shared/ipc/agent-protocol.ts'
import type { AgentCallName, CallAnswer, SettingsState } from '../../shared/ipc/ipc.ts'
import { type ManagedSettings, withManaged } from '../../shared/settings/managed-settings.ts'
import { monitoringSecretsIn } from '../../shared/settings/monitoring-secrets.ts'
import type { Log } from '../agent/ports/clock.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { managedFileOf } from '../managed/managed-file.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import { PolledKeyFile } from '../managed/polled-key-file.ts'
import { agentKeychain } from '../station-store/agent-keychain.ts'
import { ExternalKey } from '../station-store/external-key.ts'
import { fallbackOf, refusalOf } from '../station-store/fallback-electron.ts'
import { MonitoringSecretStore } from '../station-store/monitoring-secrets.ts'
import {
  agentKeyFile,
  agentMonitoringFile,
  agentWebhooksFile,
  ownerOnlyKeychain,
} from '../station-store/owner-only-keychain.ts'
import { Secrets } from '../station-store/secrets.ts'
import { SettingsStore } from '../station-store/settings-store.ts'
import type { StationCalls } from '../station-store/station-call-types.ts'
import { stationCalls } from '../station-store/station-calls.ts'
import { WebhookSecrets } from '../station-store/webhook-secrets.ts'
import { credentialIn, effectiveSettings, type OwnSettings, readOwnSettings } from './settings-file.ts'

/** How soon a replaced key file takes effect, without a restart. */
const KEY_POLL_INTERVAL_MS = 15_000

export type SettingsPaths = {
  /**
   * The file that `--settings` names. Null without the option: the agent uses `settings.json` in its data folder,
   * if there is one.
   */
  readonly settings: string | null
  /** The file with the managed settings. Null for the default location of the system. */
  readonly managed: string | null
  readonly data: string
  /** True for a background service: without settings, it waits until a user or an administrator sets up the station. */
  readonly waitsForSettings?: boolean
}

/** For a station without a service address: the agent uploads nothing until a user sets up the station. */
const emptyConfiguration = (managedProblem: string | null): Configuration => ({
  settings: null,
  apiKey: null,
  systemProxy: { kind: 'unknown' },
  managedProblem,
})

/**
 * Settings and secrets of a headless agent. An attached window can change them. This class also watches the managed
 * file. If the settings become unusable, it reports the problem and keeps the last good settings.
 */
export class HeadlessSettings {
  readonly file: string
  readonly #hasSettingsOption: boolean
  readonly #waitsForSettings: boolean
  readonly #dataFolder: string
  readonly #log: Log
  readonly #managed: ManagedStation
  readonly #keyFile: PolledKeyFile
  readonly #store: SettingsStore
  readonly #secrets: Secrets
  readonly #monitoring: MonitoringSecretStore
  readonly #webhooks: WebhookSecrets
  readonly #externalKey: ExternalKey
  #own: OwnSettings
  #current: Configuration
  #ticker: NodeJS.Timeout | null = null
  #onChange: (next: Configuration) => void = () => {}

  /** Throws if the station has no usable settings at start, unless the agent may wait for them. */
  constructor(options: SettingsPaths, log: Log) {
    const managedFile = options.managed ?? managedFileOf(process.platform, process.env)
    this.#dataFolder = options.data
    this.#log = log
    this.#hasSettingsOption = options.settings !== null
    this.#waitsForSettings = options.waitsForSettings ?? false
    this.file = options.settings ?? path.join(options.data, 'settings.json')
    this.#store = new SettingsStore(options.data, {
      refusal: refusalOf(fallbackOf(process.env)),
      managed: () => ({ ...this.#managed.state, file: managedFile }),
      ...(options.settings === null ? {} : { file: options.settings }),
    })
    // `load` renames a damaged file. The file that `--settings` names must keep its name, so `#readOwn` reads it first
    // and throws if it is damaged.
    if (!this.#hasSettingsOption) this.#store.load()
    this.#own = this.#readOwn()
    if (this.#hasSettingsOption) this.#store.load()
    this.#keyFile = new PolledKeyFile({ clock: systemClock, log: log.warn })
    this.#managed = new ManagedStation({
      file: managedFile,
      dataFolder: options.data,
      hasOwnService: () => this.#own.settings.service !== undefined,
      clock: systemClock,
      log: log.info,
      onChange: () => this.refresh(),
    })
    this.#managed.read()
    const storeOptions = { folder: options.data, log: log.warn, ...agentKeychain() }
    this.#secrets = new Secrets({ ...storeOptions, file: agentKeyFile })
    this.#monitoring = new MonitoringSecretStore({
      ...storeOptions,
      storage: this.#secrets,
      file: agentMonitoringFile,
    })
    // Only file permissions protect the webhook secrets, because a `sluice` command under a different account also uses
    // them. That command could not decrypt secrets of the agent's account.
    this.#webhooks = new WebhookSecrets({
      ...storeOptions,
      keychain: ownerOnlyKeychain,
      storage: this.#secrets,
      file: agentWebhooksFile,
    })
    this.#secrets.load(this.#store.state.settings.service?.base_url)
    this.#monitoring.load()
    this.#webhooks.load()
    // An administrator wrote this key in the settings file, so Sluice does not store it elsewhere.
    const { keyInFile } = this.#store
    if (keyInFile !== null) this.#secrets.bindWithoutStoring(keyInFile.address, keyInFile.key)
    this.#externalKey = new ExternalKey({
      managed: () => this.#managed.state.managed?.service,
      own: () => this.#store.own.service,
      environment: {
        ...process.env,
        SLUICE_API_KEY: process.env.SLUICE_API_KEY || credentialIn(process.env),
      },
      address: this.#store.state.settings.service?.base_url,
      clock: systemClock,
      log: log.warn,
    })
    this.#current = this.#read()
  }

  get current(): Configuration {
    return this.#current
  }

  get warnings(): readonly string[] {
    return this.#own.warnings
  }

  /** The settings as the window shows them, without secrets. Managed settings override the station's own settings. */
  get state(): SettingsState {
    return this.#store.state
  }

  /** The calls with which attached windows change settings and secrets. */
  calls(options: {
    readonly callAgent: (name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>
    readonly configure: () => Promise<void>
  }): StationCalls {
    const calls = stationCalls({
      store: this.#store,
      refusal: refusalOf(fallbackOf(process.env)),
      secrets: this.#secrets,
      webhooks: this.#webhooks,
      monitoring: this.#monitoring,
      externalKey: this.#externalKey,
      dataFolder: this.#dataFolder,
      logFolder: path.join(this.#dataFolder, 'logs'),
      callAgent: options.callAgent,
      settingsChanged: () => this.#reload(),
      configure: async () => {
        this.#reload()
        await options.configure()
      },
    })
    return {
      ...calls,
      saveSettings: (input) => {
        // Without an address, `sluice run` would not start again, and a background service would upload nothing.
        const next = this.#store.preview(input)
        return next !== null && next.service === undefined
          ? { ok: false, issues: [{ path: 'service.base_url', message: 'An address is needed.' }] }
          : calls.saveSettings(input)
      },
      // A `sluice` command may have changed the webhook secrets, so read their file again.
      getWebhookEndpoints: (args) => {
        this.#webhooks.load()
        return calls.getWebhookEndpoints(args)
      },
      registerWebhook: (args) => {
        this.#webhooks.load()
        return calls.registerWebhook(args)
      },
    }
  }

  watch(onChange: (next: Configuration) => void): void {
    this.#onChange = onChange
    this.#managed.start()
    this.#ticker = setInterval(() => this.refresh(), KEY_POLL_INTERVAL_MS)
  }

  stop(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker)
    this.#managed.stop()
  }

  refresh(): void {
    if (this.#ticker === null) return
    const next = this.#readOrKeep()
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return
    this.#current = next
    this.#onChange(next)
  }

  #reload(): void {
    try {
      this.#own = this.#readOwn()
    } catch (error) {
      this.#log.error(`the settings that were just saved cannot be read: ${(error as Error).message}`)
    }
    this.refresh()
  }

  #readOwn(): OwnSettings {
    return readOwnSettings(this.#hasSettingsOption || isThere(this.file) ? this.file : null)
  }

  #isNotSetUp(managed: ManagedSettings | null): boolean {
    const { settings, untrusted } = this.#own
    return untrusted === null && withManaged(settings, managed).service === undefined
  }

  #readOrKeep(): Configuration {
    try {
      return this.#read()
    } catch (error) {
      return { ...this.#current, managedProblem: (error as Error).message.replaceAll('\n', '; ') }
    }
  }

  #read(): Configuration {
    const { managed, problem } = this.#managed.state
    // The station's own settings have no address, but the managed file may contain one. So report the problem of the
    // managed file, not the missing address.
    if (problem !== null && managed === null && this.#own.settings.service === undefined)
      throw new Error(`The managed settings cannot be used. ${problem}`)
    if (this.#waitsForSettings && this.#isNotSetUp(managed)) return emptyConfiguration(problem)
    // Pass no environment: if a window changes the address, the key in the environment must not go to the new address.
    // `#externalKey` reads the environment too, and checks that the key belongs to the address.
    const effective = effectiveSettings(this.#own, managed, {}, (file) => this.#keyFile.read(file))
    const { settings, problem: keyProblem } = effective
    const { base_url: address } = settings.service
    const storedKey =
      keyProblem === null ? (this.#externalKey.keyFor(address) ?? this.#secrets.keyFor(address)) : null
    return {
      settings: this.#monitoring.mergeInto(settings, monitoringSecretsIn(settings.monitoring)),
      apiKey: effective.apiKey ?? storedKey,
      systemProxy: { kind: 'unknown' },
      managedProblem: problem ?? keyProblem,
      monitoringLocked: this.#monitoring.isLocked,
      feedKey: managed?.updates?.feed_key ?? null,
    }
  }
}
