import path from 'node:path'
import { app, Menu, nativeTheme, powerSaveBlocker, shell } from 'electron'
import type { AgentHealth } from '../../shared/ipc/agent-health.ts'
import { mayRestart } from '../../shared/status/may-restart.ts'
import type { Status } from '../../shared/status/status.ts'
import { hasStation } from '../local-files/has-station.ts'
import { InstalledVersion } from '../local-files/installed-version.ts'
import { movedMark, readMark } from '../local-files/moved-station.ts'
import type { Fallback } from '../station-store/fallback-electron.ts'
import { Refused } from '../station-store/refused.ts'
import { StationAgent } from '../supervisor/station-agent.ts'
import { Supervisor } from '../supervisor/supervisor.ts'
import { attachedStation } from './attached-station.ts'
import { bindCalls, pushEvent } from './calls/bind-calls.ts'
import { askInDialog } from './calls/native-question.ts'
import { type ShellStation, shellCalls } from './calls/shell-calls.ts'
import { announceHiddenWindow } from './notices/announce-hidden-window.ts'
import { Notifications } from './notices/notifications.ts'
import { OwnStation } from './own-station.ts'
import { agentToStart } from './system/agent-to-start.ts'
import { bytesAreMoving, KeepAwake } from './system/keep-awake.ts'
import { watchPower, watchShutdown } from './system/power.ts'
import { RestartAfterUpdate } from './system/restart-after-update.ts'
import { StartAtLogin } from './system/start-at-login.ts'
import { isServiceMissing, startService } from './system/start-service.ts'
import { StationTaskbar } from './taskbar/taskbar.ts'
import type { Task } from './tasks/task.ts'
import { TaskMenu } from './tasks/task-menu.ts'
import { applyTrayAction } from './tray/apply-tray-action.ts'
import { StationTray } from './tray/tray.ts'
import type { TrayAction } from './tray/tray-menu.ts'
import { TrayPanel } from './tray/tray-panel.ts'
import { appMenuTemplate } from './window/app-menu.ts'
import { MainWindow } from './window/main-window.ts'

type Options = {
  readonly dataFolder: string
  readonly logFolder: string
  /** The path of the administrator's settings. */
  readonly managedFile: string
  /** The build output of main, preload and renderer. */
  readonly builtFolder: string
  readonly pageUrl: string
  /** The locale of dates, times and numbers: "de-DE". */
  readonly locale: string
  /** Do not cache the result: at login, the desktop's tray may start after the app. */
  readonly hasTray: () => Promise<boolean>
  readonly startsHidden: boolean
  /** How long the window must be hidden before its page is unloaded. */
  readonly unloadAfterMs: number
  /** Data folders of agents that this window may show, if it has no station of its own. */
  readonly otherStations: readonly string[]
  /** The command line that starts this app again. */
  readonly command: readonly string[]
  /** Set if the app runs on the pinned fallback Electron. */
  readonly fallback: Fallback
  readonly log: (message: string) => void
}

/** Connects the parts of the desktop app. All lasting state is in the journal, the settings and the secrets. */
export class Desktop {
  readonly #options: Options
  readonly #ownStation: OwnStation
  readonly #agent: StationAgent
  readonly #ownShellStation: ShellStation
  readonly #attachedStation: ShellStation
  readonly #tray: StationTray
  readonly #panel: TrayPanel
  readonly #taskbar: StationTaskbar
  readonly #taskMenu: TaskMenu
  readonly #notifications: Notifications
  readonly #keepAwake = new KeepAwake(powerSaveBlocker)
  readonly #window: MainWindow
  readonly #startAtLogin: StartAtLogin
  readonly #restartAfterUpdate: RestartAfterUpdate
  #status: Status | null = null
  #isQuitting = false

  constructor(options: Options) {
    const { dataFolder, builtFolder, log } = options
    this.#options = options
    this.#ownStation = new OwnStation({
      ...options,
      callAgent: (name, args) => this.#agent.call(name, args),
      configureAgent: () => this.#agent.configure(),
      onChange: () => this.#settingsChanged(),
    })
    const supervisor = new Supervisor({
      entry: path.join(builtFolder, 'main/agent-process.js'),
      appDataFolder: dataFolder,
      locale: options.locale,
      dataFolder: () => this.#ownStation.agentFolder,
      configuration: () => this.#ownStation.configuration(),
    })
    this.#agent = new StationAgent({
      own: supervisor,
      dataFolders: () => [
        dataFolder,
        // A user without a station of their own sees the station of the background service.
        ...(this.#ownStation.hasService ? [] : options.otherStations),
      ],
      movedTo: () => this.#movedTo,
      version: app.getVersion(),
      beforeOwn: () => this.#ownStation.prepareAgent(),
    })
    this.#ownShellStation = this.#ownStation.forShell()
    this.#attachedStation = attachedStation(this.#agent, this.#ownShellStation)
    nativeTheme.themeSource = this.#appSettings.theme
    const show: Notifications['show'] = (notice) => this.#notifications.show(notice)
    const announceHidden = announceHiddenWindow({ dataFolder, hasTray: options.hasTray, show })
    this.#window = new MainWindow({
      ...options,
      isNew: () => this.#ownShellStation.state.settings.service === undefined && !this.#agent.mayAttach,
      onHidden: () => void announceHidden(),
    })
    const iconFolder = path.join(builtFolder, 'icons')
    this.#taskbar = new StationTaskbar(this.#window.window, iconFolder)
    this.#taskMenu = new TaskMenu({
      command: options.command,
      runTask: (task) => this.runTask(task),
      log,
    })
    this.#panel = new TrayPanel(options)
    this.#tray = new StationTray({
      iconFolder,
      act: (action) => this.#act(action),
      onClick: (icon) => this.#panel.toggle(icon),
    })
    this.#notifications = new Notifications({
      settings: () => this.#appSettings,
      open: (to) => this.show(to),
      log,
    })
    this.#startAtLogin = new StartAtLogin({
      command: options.command,
      isFallback: options.fallback !== undefined,
      show,
      log,
    })
    this.#restartAfterUpdate = new RestartAfterUpdate({
      installed: new InstalledVersion(),
      isIdle: () => this.#mayRestart,
      restart: () => this.#restart(),
      log,
    })
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        appMenuTemplate({
          platform: process.platform,
          isPackaged: app.isPackaged,
          goTo: (to) => this.show(to),
          quit: () => app.quit(),
        }),
      ),
    )
    this.#bind()
  }

  start(): void {
    this.#ownStation.start()
    const { start_at_login } = this.#appSettings
    this.#tray.setStartAtLogin(start_at_login)
    this.#startAtLogin.start(start_at_login)
    watchPower(
      (reason) => this.#agent.reconnect(reason),
      () => void this.#agent.configure(),
    )
    watchShutdown(() => app.quit())
    this.#restartAfterUpdate.start()
    // Start the agent after the first paint. On a PC with two cores, an earlier start would delay the window.
    const firstDraw = this.#window.waitForFirstDraw()
    void this.#agent.attach().then(async (isAttached) => {
      if (isAttached || this.#isQuitting) return
      const sandboxStart = this.#ownStation.startSandboxIfUsed()
      await firstDraw
      await sandboxStart
      if (!this.#isQuitting) await this.#agent.startOwn()
    })
  }

  /** Starts the background service if the station belongs to it. Otherwise, starts the window's own agent. */
  async #startAgent(): Promise<void> {
    const { dataFolder, otherStations } = this.#options
    const kind = await agentToStart({
      agent: this.#agent.attachedTo?.agent ?? null,
      dataFolder,
      movedTo: this.#movedTo,
      otherStations,
      hasOwnStation: () => hasStation(dataFolder),
      isServiceMissing,
    })
    if (kind === 'own') await this.#agent.startOwn()
    else await startService(kind === 'user service')
  }

  /** Not cached, because another program may move the station at any time. */
  get #movedTo(): string | null {
    return readMark(movedMark(this.#options.dataFolder))
  }

  get #station(): ShellStation {
    return this.#agent.attachedTo === null ? this.#ownShellStation : this.#attachedStation
  }

  /** Brings the window to the front and opens the screen `to`. An empty `to` keeps the current screen. */
  show(to = ''): void {
    this.#panel.close()
    this.#window.show(to)
  }

  /**
   * Moves the key from a file to the keychain. Returns a sentence for the user. Throws an Error for the user if
   * nothing was stored.
   */
  enroll(file: string): string {
    if (this.#agent.attachedTo !== null)
      throw new Refused(
        'This window is attached to an agent that runs outside this app and has no keychain. Set service.api_key_file to the path of the key file.',
      )
    return this.#ownStation.enroll(file)
  }

  /** Runs a task from the menu of the taskbar, dock or launcher icon. */
  runTask(task: Task): void {
    switch (task) {
      case 'open':
        this.show()
        return
      case 'logs':
        void shell.openPath(this.#options.logFolder)
        return
      case 'pause':
        this.#actWhenRunning(() => this.#act({ kind: 'pause', choice: 'open-ended' }))
        return
      case 'resume':
        this.#actWhenRunning(() => this.#act({ kind: 'resume' }))
        return
    }
  }

  /**
   * Stopping is safe at any time: the agent has five seconds to finish, and the next start resumes from the journal.
   */
  async stop(): Promise<void> {
    this.#isQuitting = true
    this.#restartAfterUpdate.stop()
    this.#panel.close()
    this.#window.end()
    this.#ownStation.stop()
    // Stop the agent and the sandbox in parallel, because each may take five seconds. The sandbox may stop first: the
    // agent treats this like an outage of the service.
    await Promise.all([this.#agent.stop(), this.#ownStation.sandbox.close()])
  }

  /**
   * True if a restart of the app disturbs nothing. A focused window may contain unsaved input. The app's own agent
   * stops during the restart, so it must be idle.
   */
  get #mayRestart(): boolean {
    if (this.#windows.some((window) => window?.isFocused() === true)) return false
    return this.#agent.attachedTo !== null || (this.#status !== null && mayRestart(this.#status))
  }

  #restart(): void {
    const [program = process.execPath, ...args] = this.#options.command
    const hidden = this.#window.window.isVisible() ? [] : ['--hidden']
    app.relaunch({ execPath: program, args: [...args, ...hidden] })
    app.quit()
  }

  /** Calls `act` as soon as the agent runs. If the task started the app, the agent is not running yet. */
  #actWhenRunning(act: () => void): void {
    if (this.#agent.health.state === 'running') {
      act()
      return
    }
    const listen = ({ state }: AgentHealth) => {
      if (state !== 'running') return
      this.#agent.off('health', listen)
      act()
    }
    this.#agent.on('health', listen)
  }

  get #windows() {
    return [this.#window.window, this.#panel.window]
  }

  get #appSettings() {
    return this.#station.state.settings.app
  }

  #bind(): void {
    const { log, dataFolder, logFolder, builtFolder, pageUrl, hasTray } = this.#options
    const ask = askInDialog(() => this.#window.window)
    bindCalls({
      pageUrl,
      ask,
      agent: this.#agent,
      refusal: this.#ownStation.refusal,
      log,
      isPanel: (sender) => this.#panel.isSender(sender),
      calls: shellCalls({
        station: () => this.#station,
        agent: this.#agent,
        sandbox: this.#ownStation.sandbox,
        window: () => this.#window.window,
        ask,
        page: this.#window.page,
        info: async () => ({
          dataFolder: this.#agent.attachedTo?.agent?.dataFolder ?? dataFolder,
          logFolder: this.#agent.attachedTo?.agent?.logFolder ?? logFolder,
          hasTray: await hasTray(),
          desktop: process.env.XDG_CURRENT_DESKTOP ?? null,
          settingsFile: this.#agent.attachedTo?.agent?.settingsFile ?? this.#ownStation.settingsFile,
          loginTrouble: this.#startAtLogin.trouble,
        }),
        startAgent: () => this.#startAgent(),
        licencesFile: path.join(builtFolder, 'licences.json'),
        openWindow: () => this.show(),
      }),
    })
    this.#ownStation.sandbox.on('health', (health) => {
      if (health.state === 'stopped') log(`the sandbox stopped: ${health.reason}`)
      pushEvent(this.#window.window, 'sandboxHealth', health)
    })
    this.#agent.on('log', log)
    this.#agent.on('settings', () => this.#showSettings())
    this.#agent.on('health', (health) => {
      this.#tray.setHealth(health)
      this.#taskbar.setHealth(health)
      this.#taskMenu.setHealth(health)
      for (const window of this.#windows) pushEvent(window, 'agentHealth', health)
      // A stopped agent uploads nothing, even if its last status shows an upload.
      if (health.state !== 'running') this.#keepAwake.update(false)
    })
    this.#agent.on('status', (status) => {
      this.#status = status
      this.#tray.setStatus(status)
      this.#taskbar.setStatus(status)
      this.#taskMenu.setStatus(status)
      this.#notifications.setStatus(status)
      this.#keepAwake.update(this.#appSettings.keep_awake_while_uploading && bytesAreMoving(status))
      for (const window of this.#windows) pushEvent(window, 'status', status)
    })
  }

  #settingsChanged(): void {
    this.#showSettings()
    void this.#agent.configure()
    void this.#returnToTryOut()
  }

  /** Applies the settings of this window, and sends them to the page. */
  #showSettings(): void {
    const appSettings = this.#appSettings
    nativeTheme.themeSource = appSettings.theme
    this.#tray.setStartAtLogin(appSettings.start_at_login)
    this.#startAtLogin.set(appSettings.start_at_login)
    pushEvent(this.#window.window, 'settings', this.#station.state)
  }

  /** If the settings name the sandbox while it is off, starts the sandbox and sends its key to the agent. */
  async #returnToTryOut(): Promise<void> {
    if (this.#ownStation.sandbox.health.state !== 'off' || this.#agent.attachedTo !== null) return
    const isRunning = await this.#ownStation.startSandboxIfUsed()
    if (isRunning) await this.#agent.configure()
  }

  #act(action: TrayAction): void {
    applyTrayAction(action, {
      show: (to) => this.show(to),
      agent: this.#agent,
      station: () => this.#station,
      tray: this.#tray,
      log: this.#options.log,
    })
  }
}
