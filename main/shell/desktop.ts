import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  app,
  type BrowserWindow,
  Menu,
  nativeTheme,
  powerSaveBlocker,
  safeStorage,
  session,
  shell,
} from 'electron'
import { keepingAll } from '../../shared/after-upload.ts'
import type { AgentHealth } from '../../shared/ipc.ts'
import { pauseEnd } from '../../shared/pause.ts'
import { type Settings, settingsSchema } from '../../shared/settings.ts'
import { systemOf, systemWords } from '../../shared/system.ts'
import { writeDurably } from '../durable-file.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import { Supervisor } from '../supervisor.ts'
import { bindCalls, pushEvent } from './calls/bind-calls.ts'
import { shellCalls } from './calls/shell-calls.ts'
import { appIconFile } from './icon-file.ts'
import { hidingNotice } from './notices/hiding-notice.ts'
import { Notifications } from './notices/notifications.ts'
import { EmbeddedSandbox } from './sandbox/embedded-sandbox.ts'
import { forkSandbox } from './sandbox/fork-sandbox.ts'
import { agentFolder, separateTryOut } from './sandbox/try-out-folder.ts'
import { enrollKey } from './settings/enroll-key.ts'
import { KeptMonitoring } from './settings/monitoring-secrets.ts'
import { OutsideKey } from './settings/outside-key.ts'
import { Secrets } from './settings/secrets.ts'
import { SettingsStore } from './settings/settings-store.ts'
import { WebhookSecrets } from './settings/webhook-secrets.ts'
import { type Fallback, refusalOf } from './system/fallback-electron.ts'
import { bytesAreMoving, KeepAwake } from './system/keep-awake.ts'
import { type LoginTrouble, setStartAtLogin } from './system/login-item.ts'
import { watchPower, watchShutdown } from './system/power.ts'
import { systemProxy } from './system/proxy.ts'
import { StationTaskbar } from './taskbar/taskbar.ts'
import type { Task } from './tasks/task.ts'
import { TaskMenu } from './tasks/task-menu.ts'
import { StationTray } from './tray/tray.ts'
import type { TrayAction } from './tray/tray-menu.ts'
import { appMenuTemplate } from './window/app-menu.ts'
import { PageRest } from './window/page-rest.ts'
import { openMainWindow, showWindow } from './window/window.ts'

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
  readonly #window: BrowserWindow
  readonly #page: PageRest
  #isStarted = false
  #keyLook: NodeJS.Timeout | null = null
  #quitting = false
  #toldAboutHiding = false
  #loginTrouble: LoginTrouble | null = null
  /** What the login item was last set to: it is not touched by a change of other settings. */
  #startsAtLogin = false
  #wantsShown: boolean

  constructor(options: Options) {
    const { dataFolder, builtFolder, log } = options
    this.#options = options
    this.#wantsShown = !options.startHidden
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
    this.#adoptKeyFromFile()
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
    this.#window = this.#openWindow()
    this.#page = this.#openPage()
    const iconFolder = path.join(builtFolder, 'icons')
    this.#taskbar = new StationTaskbar(this.#window, iconFolder)
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
    this.#startsAtLogin = start_at_login
    this.#tray.setStartAtLogin(start_at_login)
    // The app may have been moved or updated since the entry was made.
    if (start_at_login) this.#applyLoginItem(true, 'start')
    watchPower((reason) => this.#supervisor.reconnect(reason))
    watchShutdown(() => app.quit())
    const { service } = this.#store.state.settings
    const painted = this.#painted()
    void this.#sandbox
      .startIfUsed(service?.base_url)
      // Told through its health already.
      .catch(() => undefined)
      .finally(() => painted)
      .then(() => this.#quitting || this.#supervisor.start())
  }

  /** On two cores the window and the agent would hold each other up; somebody waits for the window. */
  #painted(): Promise<unknown> {
    return this.#wantsShown ? this.#page.firstDrawn() : Promise.resolve()
  }

  /** Brings the window to the front, at a place if one is given. */
  show(to = ''): void {
    this.#wantsShown = true
    this.#page.show(to)
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

  /** A key typed into the settings file moves to the keychain; where there is none, it is used and stays there. */
  #adoptKeyFromFile(): void {
    this.#monitoring.adopt(this.#store)
    const typed = this.#store.keyInFile
    if (typed === null) return
    const { address, key } = typed
    if (!this.#secrets.describe().protects) {
      this.#secrets.hold(address, key)
      return
    }
    try {
      this.#secrets.save(address, key, false)
      this.#store.removeKey()
      this.#options.log('the key in the settings file has been moved to the keychain')
    } catch (error) {
      // A locked keychain or a full disk: the station works all the same, and the next start tries again.
      this.#secrets.hold(address, key)
      this.#options.log(`the key stays in the settings file: ${(error as Error).message}`)
    }
  }

  #bind(): void {
    const { log, dataFolder, logFolder, builtFolder, pageUrl, hasTray } = this.#options
    bindCalls({
      pageUrl,
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
        window: () => this.#window,
        page: this.#page,
        info: async () => ({
          dataFolder,
          logFolder,
          hasTray: await hasTray(),
          settingsFile: this.#store.file,
          loginTrouble: this.#loginTrouble?.sentence ?? null,
        }),
        licencesFile: path.join(builtFolder, 'licences.json'),
        settingsChanged: () => this.#settingsChanged(),
      }),
    })
    this.#sandbox.on('health', (health) => {
      if (health.state === 'stopped') log(`the sandbox stopped: ${health.reason}`)
      pushEvent(this.#window, 'sandboxHealth', health)
    })
    this.#supervisor.on('log', log)
    this.#supervisor.on('health', (health) => {
      this.#tray.setHealth(health)
      this.#taskbar.setHealth(health)
      this.#taskMenu.setHealth(health)
      pushEvent(this.#window, 'agentHealth', health)
      // An agent that is gone moves no bytes, whatever it said last.
      if (health.state !== 'running') this.#keepAwake.update(false)
    })
    this.#supervisor.on('status', (status) => {
      this.#tray.setStatus(status)
      this.#taskbar.setStatus(status)
      this.#taskMenu.setStatus(status)
      this.#notifications.setStatus(status)
      this.#keepAwake.update(this.#app.keep_awake_while_uploading && bytesAreMoving(status))
      pushEvent(this.#window, 'status', status)
    })
  }

  #settingsChanged(): void {
    const { app: own } = this.#store.state.settings
    nativeTheme.themeSource = own.theme
    this.#tray.setStartAtLogin(own.start_at_login)
    if (own.start_at_login !== this.#startsAtLogin) {
      this.#startsAtLogin = own.start_at_login
      this.#applyLoginItem(own.start_at_login, 'person')
    }
    void this.#supervisor.configure()
    void this.#returnToTryOut()
    pushEvent(this.#window, 'settings', this.#store.state)
  }

  /** Its address was entered again in a run that had begun without it: the agent needs its key. */
  async #returnToTryOut(): Promise<void> {
    const { service } = this.#store.state.settings
    if (this.#sandbox.health.state !== 'off') return
    // Told through its health already.
    const runs = await this.#sandbox.startIfUsed(service?.base_url).catch(() => false)
    if (runs) await this.#supervisor.configure()
  }

  #applyLoginItem(on: boolean, by: 'person' | 'start'): void {
    const trouble = setStartAtLogin(
      {
        platform: process.platform,
        app,
        command: [...this.#options.command, '--hidden'],
        configFolder: app.getPath('appData'),
        isFallback: this.#options.fallback !== undefined,
      },
      on,
      by,
    )
    this.#loginTrouble = trouble
    if (trouble === null) return
    this.#options.log(trouble.sentence)
    // Who has just switched it on here wants to know why it stays off; who switched it off elsewhere knows.
    if (trouble.kind === 'switched-off' && by === 'start') return
    const title = systemWords[systemOf(process.platform)].startAtLogin
    this.#notifications.show({ title, body: trouble.sentence, to: 'appearance' })
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

  #openWindow(): BrowserWindow {
    const { builtFolder, dataFolder, pageUrl, locale, log } = this.#options
    const window = openMainWindow({
      pageUrl,
      locale,
      preload: path.join(builtFolder, 'preload/index.cjs'),
      icon: path.join(builtFolder, 'icons', appIconFile(systemOf(process.platform))),
      stateFile: path.join(dataFolder, 'window.json'),
      dark: nativeTheme.shouldUseDarkColors,
      isLetGo: () => this.#page.isGone,
      log,
    })
    // Shown once it can be read, so that nobody sees a white flash in a dark room, or an empty window.
    window.once('ready-to-show', async () => {
      await this.#page.firstDrawn()
      if (this.#wantsShown && !window.isDestroyed()) showWindow(window)
    })
    // Windows is about to end every process of this person. The journal covers what does not get done in time.
    window.on('session-end', () => app.quit())
    window.on('close', (event) => {
      if (this.#quitting) return
      event.preventDefault()
      window.hide()
      void this.#tellAboutHiding()
    })
    return window
  }

  #openPage(): PageRest {
    const { pageUrl, startHidden, letGoAfterMs, log } = this.#options
    const window = this.#window
    const load = () => window.loadURL(pageUrl)
    if (!startHidden) void load()
    return new PageRest({ window, afterMs: letGoAfterMs, startsWithout: startHidden, load, log })
  }

  /** Once for good where an icon shows that Sluice is still there, and once per run where none does. */
  async #tellAboutHiding(): Promise<void> {
    if (this.#toldAboutHiding) return
    this.#toldAboutHiding = true
    const hasTray = await this.#options.hasTray()
    const notice = hidingNotice(systemOf(process.platform), hasTray)
    const told = path.join(this.#options.dataFolder, 'told-of-hiding')
    if (notice === null || (hasTray && existsSync(told))) return
    this.#notifications.show(notice)
    try {
      if (hasTray) writeDurably(told, '')
    } catch {
      // A full disk: it is told once more.
    }
  }
}
