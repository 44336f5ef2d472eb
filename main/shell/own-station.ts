import path from 'node:path'
import { safeStorage, session } from 'electron'
import { systemClock } from '../../shared/clock/clock.ts'
import { keepAllFiles } from '../../shared/settings/after-upload.ts'
import { type Settings, settingsSchema } from '../../shared/settings/settings.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import { adoptKey } from '../station-store/adopt-key.ts'
import { ExternalKey } from '../station-store/external-key.ts'
import { type Fallback, refusalOf } from '../station-store/fallback-electron.ts'
import { MonitoringSecretStore } from '../station-store/monitoring-secrets.ts'
import { Secrets } from '../station-store/secrets.ts'
import { SettingsStore } from '../station-store/settings-store.ts'
import { stationCalls } from '../station-store/station-calls.ts'
import { newestKey } from '../station-store/stored-agent-key.ts'
import { WebhookSecrets } from '../station-store/webhook-secrets.ts'
import type { StationAgent } from '../supervisor/station-agent.ts'
import type { ShellStation } from './calls/shell-calls.ts'
import { EmbeddedSandbox } from './sandbox/embedded-sandbox.ts'
import { forkSandbox } from './sandbox/fork-sandbox.ts'
import { agentFolder, separateSandboxJournal } from './sandbox/try-out-folder.ts'
import { enrollKey } from './settings/enroll-key.ts'
import { onBattery } from './system/power.ts'
import { systemProxy } from './system/proxy.ts'

/** A replaced key file takes effect within this time, without a restart. */
const KEY_FILE_POLL_MS = 15_000

type Options = {
  readonly dataFolder: string
  readonly logFolder: string
  /** The path of the administrator's settings. */
  readonly managedFile: string
  /** The build output of main, preload and renderer. */
  readonly builtFolder: string
  /** Set if the app runs on the pinned fallback Electron. */
  readonly fallback: Fallback
  readonly callAgent: StationAgent['call']
  readonly configureAgent: () => Promise<void>
  /** Called after a change of the settings or the key. */
  readonly onChange: () => void
  readonly log: (message: string) => void
}

const completeSettings = (store: SettingsStore): Settings | null => {
  const parsed = settingsSchema.safeParse(store.active)
  return parsed.success ? parsed.data : null
}

/** The settings, the secrets and the sandbox of the app's own agent. */
export class OwnStation {
  /** Returns why the app must not connect to the address, or null if it may. */
  readonly refusal: (address: string | undefined) => string | null
  readonly sandbox: EmbeddedSandbox
  readonly #options: Options
  readonly #managed: ManagedStation
  readonly #store: SettingsStore
  readonly #secrets: Secrets
  readonly #webhooks: WebhookSecrets
  readonly #monitoring: MonitoringSecretStore
  readonly #externalKey: ExternalKey
  #isStarted = false
  #keyFileTimer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    const { dataFolder, builtFolder, log } = options
    this.#options = options
    this.refusal = refusalOf(options.fallback)
    this.#managed = new ManagedStation({
      file: options.managedFile,
      dataFolder,
      hasOwnService: () => this.hasService,
      clock: systemClock,
      log,
      onChange: () => this.#isStarted && options.onChange(),
    })
    this.#store = new SettingsStore(dataFolder, {
      refusal: this.refusal,
      managed: () => ({ ...this.#managed.state, file: options.managedFile }),
    })
    this.#store.load()
    this.#managed.read()
    this.#secrets = new Secrets({
      folder: dataFolder,
      keychain: safeStorage,
      platform: process.platform,
      log,
    })
    this.#secrets.load(this.#address)
    this.#webhooks = new WebhookSecrets({
      folder: dataFolder,
      keychain: safeStorage,
      storage: this.#secrets,
      log,
    })
    this.#webhooks.load()
    this.#monitoring = new MonitoringSecretStore({
      folder: dataFolder,
      keychain: safeStorage,
      storage: this.#secrets,
      log,
    })
    this.#monitoring.load()
    this.#externalKey = new ExternalKey({
      managed: () => this.#managed.state.managed?.service,
      own: () => this.#store.own.service,
      environment: process.env,
      address: this.#address,
      clock: systemClock,
      log,
    })
    this.sandbox = new EmbeddedSandbox(
      dataFolder,
      forkSandbox(path.join(builtFolder, 'main/sandbox-process.js'), log),
    )
    this.#separateSandboxJournal()
  }

  /** Starts to poll the key file and to watch the administrator's settings. */
  start(): void {
    this.#isStarted = true
    this.#managed.start()
    this.#keyFileTimer = setInterval(
      () => this.#externalKey.hasChanged() && this.#options.onChange(),
      KEY_FILE_POLL_MS,
    )
  }

  stop(): void {
    this.#managed.stop()
    if (this.#keyFileTimer !== null) clearInterval(this.#keyFileTimer)
  }

  /** True if the station's own settings name a service. A service in the managed settings does not count. */
  get hasService(): boolean {
    return this.#store.own.service !== undefined
  }

  get settingsFile(): string {
    return this.#store.file
  }

  /** During a try-out, the agent has its own data folder. */
  get agentFolder(): string {
    return agentFolder(this.#options.dataFolder, this.#usesSandbox)
  }

  /**
   * Loads the settings again, because another agent may have changed them while the window was attached to it. Then
   * moves secrets from the settings to the keychain, and starts the sandbox if the station uses it.
   */
  async prepareAgent(): Promise<void> {
    this.#store.load()
    this.#monitoring.adopt(this.#store)
    adoptKey(this.#store, this.#secrets, this.#options.log)
    await this.startSandboxIfUsed()
  }

  /** True if the station uses the sandbox and the sandbox runs. Does not throw: the health event reports an error. */
  async startSandboxIfUsed(): Promise<boolean> {
    return this.sandbox.startIfUsed(this.#address).catch(() => false)
  }

  enroll(file: string): string {
    const { log } = this.#options
    // First move an old key out of the settings file. Otherwise the next start would prefer the old key.
    adoptKey(this.#store, this.#secrets, log)
    const sentence = enrollKey(file, this.#address, this.#secrets)
    log(sentence)
    void this.#options.configureAgent()
    return sentence
  }

  async configuration() {
    const ownSettings = completeSettings(this.#store)
    const settings =
      ownSettings === null ? null : this.#monitoring.mergeInto(ownSettings, this.#store.monitoring)
    return {
      kind: 'configure',
      settings: settings !== null && this.#usesSandbox ? keepAllFiles(settings) : settings,
      apiKey: this.#keyFor(settings?.service.base_url),
      systemProxy: await systemProxy(session.defaultSession, settings?.service),
      webhookSecrets: this.#webhooks.secretsFor(settings?.service.base_url),
      managedProblem: this.#managed.state.problem ?? this.#externalKey.read().problem,
      monitoringLocked: this.#monitoring.isLocked,
      onBattery: onBattery(),
      feedKey: this.#managed.state.managed?.updates?.feed_key ?? null,
    } as const
  }

  /** The parts of the station that the calls of the page use. */
  forShell(): ShellStation {
    const [store, secrets, { sandbox }] = [this.#store, this.#secrets, this]
    return {
      get state() {
        return store.state
      },
      preview: (input) => store.preview(input),
      keyFor: (address) => secrets.keyFor(address),
      calls: stationCalls({
        store,
        refusal: this.refusal,
        secrets,
        webhooks: this.#webhooks,
        monitoring: this.#monitoring,
        externalKey: this.#externalKey,
        sandbox: {
          keyFor: (address) => sandbox.keyFor(address),
          addresses: () => (sandbox.health.state === 'running' ? [sandbox.health.baseUrl] : []),
        },
        dataFolder: this.#options.dataFolder,
        logFolder: this.#options.logFolder,
        callAgent: this.#options.callAgent,
        settingsChanged: this.#options.onChange,
        configure: this.#options.configureAgent,
      }),
    }
  }

  get #address(): string | undefined {
    return this.#store.state.settings.service?.base_url
  }

  get #usesSandbox(): boolean {
    return this.sandbox.hasAddress(this.#address)
  }

  #keyFor(address: string | undefined): string | null {
    if (this.refusal(address) !== null) return null
    const externalKey = this.#externalKey.keyFor(address)
    if (externalKey !== undefined) return this.sandbox.keyFor(address) ?? externalKey
    return this.sandbox.keyFor(address) ?? newestKey(this.#secrets, this.#options.dataFolder, address)
  }

  /** Does not throw. After an error, such as a full disk, the next start of the app tries again. */
  #separateSandboxJournal(): void {
    const { dataFolder, log } = this.#options
    try {
      separateSandboxJournal(dataFolder, this.#usesSandbox)
    } catch (error) {
      log(`the sandbox journal is not separated yet: ${(error as Error).message}`)
    }
  }
}
