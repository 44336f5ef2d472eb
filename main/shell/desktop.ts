import path from 'node:path'
import { app, Menu, nativeTheme, powerSaveBlocker, safeStorage, session, shell } from 'electron'
import type { AgentHealth } from '../../shared/ipc/ipc.ts'
import { keepingAll } from '../../shared/settings/after-upload.ts'
import { type Settings, settingsSchema } from '../../shared/settings/settings.ts'
import { pauseEnd } from '../../shared/status/pause.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import { Supervisor } from '../supervisor/supervisor.ts'
import { bindCalls, pushEvent } from './calls/bind-calls.ts'
import { askNatively } from './calls/native-question.ts'
import { shellCalls } from './calls/shell-calls.ts'
import { Notifications } from './notices/notifications.ts'
import { tellOfHiding } from './notices/tell-of-hiding.ts'
import { EmbeddedSandbox } from './sandbox/embedded-sandbox.ts'
import { forkSandbox } from './sandbox/fork-sandbox.ts'
import { agentFolder, separateTryOut } from './sandbox/try-out-folder.ts'
import { adoptKey } from './settings/adopt-key.ts'
import { enrollKey } from './settings/enroll-key.ts'
import { KeptMonitoring } from './settings/monitoring-secrets.ts'
import { OutsideKey } from './settings/outside-key.ts'
import { Secrets } from './settings/secrets.ts'
import { SettingsStore } from './settings/settings-store.ts'
import { WebhookSecrets } from './settings/webhook-secrets.ts'
import { type Fallback, refusalOf } from './system/fallback-electron.ts'
import { bytesAreMoving, KeepAwake } from './system/keep-awake.ts'
import { onBattery, watchPower, watchShutdown } from './system/power.ts'
import { systemProxy } from './system/proxy.ts'
import { StartAtLogin } from './system/start-at-login.ts'
import { StationTaskbar } from './taskbar/taskbar.ts'
import type { Task } from './tasks/task.ts'
import { TaskMenu } from './tasks/task-menu.ts'
import { StationTray } from './tray/tray.ts'
import type { TrayAction } from './tray/tray-menu.ts'
import { appMenuTemplate } from './window/app-menu.ts'
import { MainWindow } from './window/main-window.ts'

/** A key file that is replaced is taken up without a restart. */
const KEY_LOOK_MS = 15_000

type Options = {
  readonly dataFolder: string
  readonly logFolder: string
  /** Where the administrator's settings are looked for. */
  readonly managedFile: string
  /** The folder that main, preload and renderer are built into. */
  readonly builtFolder: string
  readonly pageUrl: string
  /** How dates, times and numbers are written, "de-DE". */
  readonly locale: string
  /** Asked when it matters: at login the panel may come after the app. */
  readonly hasTray: () => Promise<boolean>
  readonly startHidden: boolean
  /** How long a window has to be hidden before its page is let go. */
  readonly letGoAfterMs: number
  /** What starts this very app again. */
  readonly command: readonly string[]
  /** Whether this is the pinned fallback Electron. */
  readonly fallback: Fallback
  readonly log: (message: string) => void
}

const completeSettings = (store: SettingsStore): Settings | null => {
  const parsed = settingsSchema.safeParse(store.state.settings)
  return parsed.success ? parsed.data : null
}

/** The parts of the desktop app and how they hear of each other. Holds no truth: that is the agent's journal. */
export class Desktop {
  readonly #options: Options
  readonly #refusal: (address: string | undefined) => string | null
  readonly #managed: ManagedStation
  readonly #store: SettingsStore
  readonly #secrets: Secrets
  readonly #webhooks: WebhookSecrets
  readonly #monitoring: KeptMonitoring
  readonly #outsideKey: OutsideKey
  readonly #sandbox: EmbeddedSandbox
  readonly #supervisor: Supervisor
  readonly #tray: StationTray
  readonly #taskbar: StationTaskbar
  readonly #taskMenu: TaskMenu
  readonly #notifications: Notifications
  readonly #keepAwake = new KeepAwake(powerSaveBlocker)
  readonly #window: MainWindow
  readonly #startAtLogin: StartAtLogin
  #isStarted = false
  #keyLook: NodeJS.Timeout | null = null
  #quitting = false

  constructor(options: Options) {
    const { dataFolder, builtFolder, log } = options
    this.#options = options
    this.#refusal = refusalOf(options.fallback)
    this.#managed = new ManagedStation({
      file: options.managedFile,
      dataFolder,
      hasOwnService: () => this.#store.own.service !== undefined,
      clock: { monotonicMs: () => performance.now() },
      log,
      onChange: () => this.#isStarted && this.#settingsChanged(),
    })
    this.#store = new SettingsStore(dataFolder, {
      refusal: this.#refusal,
      managed: () => ({ ...this.#managed.now, file: options.managedFile }),
    })
    this.#store.load()
    this.#managed.read()
    this.#secrets = new Secrets({
      folder: dataFolder,
      keychain: safeStorage,
      platform: process.platform,
      log,
    })
    this.#secrets.load(this.#store.state.settings.service?.base_url)
    this.#webhooks = new WebhookSecrets({
      folder: dataFolder,
      keychain: safeStorage,
      storage: this.#secrets,
      log,
    })
    this.#webhooks.load()
    this.#monitoring = new KeptMonitoring({
      folder: dataFolder,
      keychain: safeStorage,
      storage: this.#secrets,
      log,
    })
    this.#monitoring.load()
    this.#monitoring.adopt(this.#store)
    adoptKey(this.#store, this.#secrets, log)
    this.#outsideKey = new OutsideKey({
      managed: () => this.#managed.now.managed?.service,
      own: () => this.#store.own.service,
      environment: process.env,
      address: this.#store.state.settings.service?.base_url,
      clock: { monotonicMs: () => performance.now() },
      log,
    })
    this.#sandbox = new EmbeddedSandbox(
      dataFolder,
      forkSandbox(path.join(builtFolder, 'main/sandbox-process.js'), log),
    )
    this.#separateTryOut()
    this.#supervisor = new Supervisor({
      entry: path.join(builtFolder, 'main/agent-process.js'),
      logIn: dataFolder,
      locale: options.locale,
      dataFolder: () => agentFolder(dataFolder, this.#isTriedOut),
      configuration: () => this.#configuration(),
    })
    nativeTheme.themeSource = this.#app.theme
    const show: Notifications['show'] = (notice) => this.#notifications.show(notice)
    const told = tellOfHiding({ dataFolder, hasTray: options.hasTray, show })
    this.#window = new MainWindow({
      ...options,
      isNew: () => this.#store.state.settings.service === undefined,
      onHidden: () => void told(),
    })
    const iconFolder = path.join(builtFolder, 'icons')
    this.#taskbar = new StationTaskbar(this.#window.window, iconFolder)
    this.#taskMenu = new TaskMenu({
      command: options.command,
      carryOut: (task) => this.carryOut(task),
      log,
    })
    this.#tray = new StationTray({
      iconFolder,
      act: (action) => this.#act(action),
    })
    this.#notifications = new Notifications({
      settings: () => this.#app,
      open: (to) => this.show(to),
      log,
    })
    this.#startAtLogin = new StartAtLogin({
      command: options.command,
      isFallback: options.fallback !== undefined,
      show,
      log,
    })
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        appMenuTemplate({
          platform: process.platform,
          packaged: app.isPackaged,
          goTo: (to) => this.show(to),
          quit: () => app.quit(),
        }),
      ),
    )
    this.#bind()
  }

  start(): void {
    this.#isStarted = true
    this.#managed.start()
    this.#keyLook = setInterval(() => this.#outsideKey.hasChanged() && this.#settingsChanged(), KEY_LOOK_MS)
    const { start_at_login } = this.#app
    this.#tray.setStartAtLogin(start_at_login)
    this.#startAtLogin.start(start_at_login)
    watchPower(
      (reason) => this.#supervisor.reconnect(reason),
      () => void this.#supervisor.configure(),
    )
    watchShutdown(() => app.quit())
    const { service } = this.#store.state.settings
    // On two cores the window and the agent would hold each other up; somebody waits for the window.
    const drawn = this.#window.firstDrawn()
    void this.#sandbox
      .startIfUsed(service?.base_url)
      // Told through its health already.
      .catch(() => undefined)
      .finally(() => drawn)
      .then(() => this.#quitting || this.#supervisor.start())
  }

  /** Brings the window to the front, at a place if one is given. */
  show(to = ''): void {
    this.#window.show(to)
  }

  /** A sentence for whoever asked; throws one where nothing was stored. */
  enroll(file: string): string {
    const said = enrollKey(file, this.#store.state.settings.service?.base_url, this.#secrets)
    this.#options.log(said)
    void this.#supervisor.configure()
    return said
  }

  /** What was asked for at the icon in taskbar, dock or launcher. */
  carryOut(task: Task): void {
    switch (task) {
      case 'open':
        this.show()
        return
      case 'logs':
        void shell.openPath(this.#options.logFolder)
        return
      case 'pause':
        this.#onceRunning(() => this.#act({ kind: 'pause', choice: 'open-ended' }))
        return
      case 'resume':
        this.#onceRunning(() => this.#act({ kind: 'resume' }))
        return
    }
  }

  /** Safe at any time: the agent drains for up to five seconds, and the journal covers the rest. */
  async stop(): Promise<void> {
    this.#quitting = true
    this.#window.end()
    this.#managed.stop()
    if (this.#keyLook !== null) clearInterval(this.#keyLook)
    // At once: each has its own five seconds, and the agent takes a service that leaves as it takes any other.
    await Promise.all([this.#supervisor.stop(), this.#sandbox.close()])
  }

  /** Asked of an app that was started for it, the agent is not there yet. */
  #onceRunning(act: () => void): void {
    if (this.#supervisor.health.state === 'running') {
      act()
      return
    }
    const listen = ({ state }: AgentHealth) => {
      if (state !== 'running') return
      this.#supervisor.off('health', listen)
      act()
    }
    this.#supervisor.on('health', listen)
  }

  get #app() {
    return this.#store.state.settings.app
  }

  get #isTriedOut(): boolean {
    return this.#sandbox.isAt(this.#store.state.settings.service?.base_url)
  }

  async #configuration() {
    const complete = completeSettings(this.#store)
    const settings = complete === null ? null : this.#monitoring.laidInto(complete, this.#store.monitoring)
    return {
      kind: 'configure',
      settings: settings !== null && this.#isTriedOut ? keepingAll(settings) : settings,
      apiKey: this.#keyFor(settings?.service.base_url),
      systemProxy: await systemProxy(session.defaultSession, settings?.service),
      webhookSecrets: this.#webhooks.secretsFor(settings?.service.base_url),
      managedProblem: this.#managed.now.problem ?? this.#outsideKey.read().problem,
      monitoringLocked: this.#monitoring.isUnread,
      onBattery: onBattery(),
    } as const
  }

  #keyFor(address: string | undefined): string | null {
    if (this.#refusal(address) !== null) return null
    const outside = this.#outsideKey.keyFor(address)
    return this.#sandbox.keyFor(address) ?? (outside === undefined ? this.#secrets.keyFor(address) : outside)
  }

  /** A full disk is no reason not to start: the next start tries again. */
  #separateTryOut(): void {
    const { dataFolder, log } = this.#options
    try {
      separateTryOut(dataFolder, this.#isTriedOut)
    } catch (error) {
      log(`the try-out has no data folder of its own yet: ${(error as Error).message}`)
    }
  }

  #bind(): void {
    const { log, dataFolder, logFolder, builtFolder, pageUrl, hasTray } = this.#options
    const ask = askNatively(() => this.#window.window)
    bindCalls({
      pageUrl,
      ask,
      supervisor: this.#supervisor,
      refusal: this.#refusal,
      log,
      calls: shellCalls({
        store: this.#store,
        refusal: this.#refusal,
        secrets: this.#secrets,
        webhooks: this.#webhooks,
        monitoring: this.#monitoring,
        outsideKey: this.#outsideKey,
        supervisor: this.#supervisor,
        sandbox: this.#sandbox,
        window: () => this.#window.window,
        ask,
        page: this.#window.page,
        info: async () => ({
          dataFolder,
          logFolder,
          hasTray: await hasTray(),
          settingsFile: this.#store.file,
          loginTrouble: this.#startAtLogin.trouble,
        }),
        licencesFile: path.join(builtFolder, 'licences.json'),
        settingsChanged: () => this.#settingsChanged(),
      }),
    })
    this.#sandbox.on('health', (health) => {
      if (health.state === 'stopped') log(`the sandbox stopped: ${health.reason}`)
      pushEvent(this.#window.window, 'sandboxHealth', health)
    })
    this.#supervisor.on('log', log)
    this.#supervisor.on('health', (health) => {
      this.#tray.setHealth(health)
      this.#taskbar.setHealth(health)
      this.#taskMenu.setHealth(health)
      pushEvent(this.#window.window, 'agentHealth', health)
      // An agent that is gone moves no bytes, whatever it said last.
      if (health.state !== 'running') this.#keepAwake.update(false)
    })
    this.#supervisor.on('status', (status) => {
      this.#tray.setStatus(status)
      this.#taskbar.setStatus(status)
      this.#taskMenu.setStatus(status)
      this.#notifications.setStatus(status)
      this.#keepAwake.update(this.#app.keep_awake_while_uploading && bytesAreMoving(status))
      pushEvent(this.#window.window, 'status', status)
    })
  }

  #settingsChanged(): void {
    const { app: own } = this.#store.state.settings
    nativeTheme.themeSource = own.theme
    this.#tray.setStartAtLogin(own.start_at_login)
    this.#startAtLogin.set(own.start_at_login)
    void this.#supervisor.configure()
    void this.#returnToTryOut()
    pushEvent(this.#window.window, 'settings', this.#store.state)
  }

  /** Its address was entered again in a run that had begun without it: the agent needs its key. */
  async #returnToTryOut(): Promise<void> {
    const { service } = this.#store.state.settings
    if (this.#sandbox.health.state !== 'off') return
    // Told through its health already.
    const runs = await this.#sandbox.startIfUsed(service?.base_url).catch(() => false)
    if (runs) await this.#supervisor.configure()
  }

  #act(action: TrayAction): void {
    switch (action.kind) {
      case 'open':
        this.show(action.to)
        return
      case 'pause':
        void this.#supervisor.call('pause', { until: pauseEnd(action.choice, new Date()) })
        return
      case 'resume':
        void this.#supervisor.call('resume', undefined)
        return
      case 'toggle-login': {
        const { settings, managed } = this.#store.state
        if (managed?.locked.includes('app.start_at_login')) {
          this.#tray.setStartAtLogin(settings.app.start_at_login)
          return
        }
        const start_at_login = !settings.app.start_at_login
        if (this.#store.save({ ...settings, app: { ...settings.app, start_at_login } }).ok)
          this.#settingsChanged()
        return
      }
      case 'quit':
        app.quit()
        return
    }
  }
}
