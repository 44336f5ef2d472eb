import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { app, session } from 'electron'
import { showLine } from '../shared/words/escape-text.ts'
import { setLocale } from '../shared/words/format.ts'
import { serviceDataFolder } from './endpoint/endpoint-place.ts'
import { makeFolder } from './local-files/make-folder.ts'
import { restrictToOwner } from './local-files/owner-only.ts'
import { managedFileOf } from './managed/managed-file.ts'
import { openProgramLog } from './program-log/program-log.ts'
import { Desktop } from './shell/desktop.ts'
import { exitWithMessage, START_FAILED } from './shell/early-exit/exit-before-ready.ts'
import { runCommand } from './shell/early-exit/run-command.ts'
import { appUserModelId } from './shell/system/app-id.ts'
import { commandIn, ownArguments, parseCommandLine, usage } from './shell/system/command-line.ts'
import { exitOnErrors } from './shell/system/exit-on-error.ts'
import { wasOpenedAtLogin } from './shell/system/login-item.ts'
import { quitSignals } from './shell/system/quit-signals.ts'
import { userLocale } from './shell/system/user-locale.ts'
import { requestedEnrolment, requestedTask, taskWords } from './shell/tasks/task.ts'
import { hasTrayHost } from './shell/tray/tray-presence.ts'
import { pageAddress, registerPageScheme, servePage } from './shell/window/page-protocol.ts'
import { denyByDefault, restrictSession } from './shell/window/session-security.ts'
import { unloadAfterMs } from './shell/window/unload-page.ts'
import { fallbackOf } from './station-store/fallback-electron.ts'

// Set the umask and the environment before Sluice writes a file, opens a connection or forks a process that inherits
// them.
process.umask(0o077)
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED

/** Prints one sentence in the terminal instead of a stack trace, and exits. */
const fail = (sentence: string): never => exitWithMessage(START_FAILED, showLine(`sluice: ${sentence}`))

const typedArguments = ownArguments(process.argv, app.isPackaged ? null : app.getAppPath())
const command = commandIn(typedArguments, app.isPackaged)
if (command !== null) {
  exitOnErrors()
  await runCommand(import.meta.dirname, command)
}

const readOptions = () => {
  try {
    return parseCommandLine(typedArguments, app.isPackaged)
  } catch (error) {
    return fail((error as Error).message)
  }
}

const options = readOptions()
if (options.help) exitWithMessage(0, usage)

// Without a display, Chromium crashes and gives no useful message. With `--ozone-platform`, a user can select a
// platform that needs no display. Read `process.argv`, because Electron itself adds this switch to `app.commandLine`.
const { DISPLAY, WAYLAND_DISPLAY } = process.env
const hasPlatformSwitch = process.argv.some((argument) => argument.startsWith('--ozone-platform'))
if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY && !hasPlatformSwitch)
  fail(
    'there is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, or start Sluice under xvfb-run.',
  )

// Set this before any window or notification exists: otherwise Windows assigns them to a different app.
if (process.platform === 'win32') app.setAppUserModelId(appUserModelId(app.isPackaged, process.execPath))

const managedFile =
  options.managed === null ? managedFileOf(process.platform, process.env) : path.resolve(options.managed)
const dataFolder = path.resolve(options.data ?? app.getPath('userData'))
const logFolder = path.join(dataFolder, 'logs')
try {
  makeFolder(logFolder)
  accessSync(dataFolder, constants.W_OK)
} catch {
  fail(
    `cannot write to the data folder ${dataFolder}. Choose a different folder with --data, or correct its permissions.`,
  )
}
// Electron keeps its single-instance lock in this folder, so set the path before taking the lock. This lets stations
// with different data folders run side by side.
app.setPath('userData', dataFolder)

// As root, Chromium can start child processes only with `--no-sandbox`. The scripts that start Sluice from source pass
// this switch, and `enableSandbox` would override it.
if (app.isPackaged || !app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
// The window shows lists and figures, which need no graphics card. Without hardware acceleration, the app needs a third
// less memory, and no graphics driver can crash the window.
app.disableHardwareAcceleration()
// Only the agent uses the network. So run Chromium's network service in the main process: a separate process would take
// 20 MB and delay the first page. On macOS, keep the separate process, because Chromium sandboxes it there.
if (process.platform !== 'darwin') app.commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
registerPageScheme()
denyByDefault()

const { task } = options
const enrollFile = options.enrollKeyFile === null ? null : path.resolve(options.enrollKeyFile)
if (!app.requestSingleInstanceLock({ task, enroll: enrollFile })) {
  const runningSentence = `Sluice is already running with the data folder ${dataFolder}.`
  if (enrollFile !== null)
    exitWithMessage(
      0,
      `sluice: ${runningSentence} It reads the key in ${enrollFile}; its log shows the result.`,
    )
  if (task !== null)
    exitWithMessage(0, `sluice: ${runningSentence} It received your request: ${taskWords[task]}.`)
  fail(`${runningSentence} Its window has been brought to the front.`)
}

const programLog = openProgramLog(logFolder, 'main')
// Most lines of the main process report problems, so `log` writes warnings.
const log = (message: string) => programLog.warn(message)
programLog.info('Sluice started', { version: app.getVersion(), pid: process.pid })
app.on('will-quit', () => programLog.info('Sluice ended'))
for (const sentence of restrictToOwner(dataFolder)) log(sentence)
process.on('uncaughtException', (error) => programLog.error(`uncaught: ${error.stack}`))
process.on('unhandledRejection', (reason) => programLog.error(`unhandled: ${String(reason)}`))

const start = (): void => {
  const locale = userLocale(process.platform, process.env, app)
  setLocale(locale)
  restrictSession(session.defaultSession)
  const builtFolder = path.join(import.meta.dirname, '..')
  servePage(path.join(builtFolder, 'renderer'))

  const program = app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()]
  const desktop = new Desktop({
    dataFolder,
    logFolder,
    managedFile,
    builtFolder,
    locale,
    pageUrl: pageAddress(app.isPackaged, process.env),
    hasTray: () => hasTrayHost(process.platform),
    unloadAfterMs: unloadAfterMs(app.isPackaged, process.env),
    startsHidden: options.hidden || wasOpenedAtLogin(process.platform, app),
    fallback: fallbackOf(process.env),
    otherStations: options.data === null ? [serviceDataFolder(process.platform, process.env)] : [],
    command: [
      ...program,
      ...(options.data === null ? [] : ['--data', dataFolder]),
      ...(options.managed === null ? [] : ['--managed', managedFile]),
    ],
    log,
  })
  if (enrollFile !== null) {
    try {
      exitWithMessage(0, `sluice: ${desktop.enroll(enrollFile)}`)
    } catch (error) {
      fail((error as Error).message)
    }
  }
  desktop.start()

  if (task !== null) desktop.runTask(task)
  // Read the request of the second process, not its arguments, because Chromium adds other arguments.
  app.on('second-instance', (_event, _arguments, _folder, request) => {
    const enroll = requestedEnrolment(request)
    if (enroll === null) desktop.runTask(requestedTask(request) ?? 'open')
    else
      try {
        desktop.enroll(enroll)
      } catch (error) {
        log(`the key was not stored: ${(error as Error).message}`)
      }
  })
  app.on('activate', () => desktop.show())

  for (const signal of quitSignals(process.platform)) process.on(signal, () => app.quit())

  let hasStopped = false
  app.on('before-quit', (event) => {
    if (hasStopped) return
    event.preventDefault()
    void desktop.stop().finally(() => {
      hasStopped = true
      app.quit()
    })
  })
}

// Do not await this at the top level: Electron becomes ready only after this module has finished.
void app.whenReady().then(start)
