import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { app, session } from 'electron'
import { showLine } from '../shared/words/escape-text.ts'
import { writeFor } from '../shared/words/format.ts'
import { makeFolder } from './local-files/make-folder.ts'
import { keepToOwner } from './local-files/owner-only.ts'
import { managedFileOf } from './managed/managed-file.ts'
import { openProgramLog } from './program-log/program-log.ts'
import { Desktop } from './shell/desktop.ts'
import { endStart, WRONG_START } from './shell/early-exit/exit-before-ready.ts'
import { runCommand } from './shell/early-exit/run-command.ts'
import { appUserModelId } from './shell/system/app-id.ts'
import { commandIn, ownArguments, parseCommandLine, usage } from './shell/system/command-line.ts'
import { endAtFaults } from './shell/system/exit-on-error.ts'
import { fallbackOf } from './shell/system/fallback-electron.ts'
import { wasOpenedAtLogin } from './shell/system/login-item.ts'
import { personLocale } from './shell/system/person-locale.ts'
import { endSignals } from './shell/system/quit-signals.ts'
import { askedEnrolment, askedTask, taskWords } from './shell/tasks/task.ts'
import { hasTrayHost } from './shell/tray/tray-presence.ts'
import { pageAddress, registerPageScheme, servePage } from './shell/window/page-protocol.ts'
import { closeSession, denyByDefault } from './shell/window/session-security.ts'
import { letGoAfterMs } from './shell/window/unload-page.ts'

// Before anything is written or connected; what the agent and the sandbox inherit counts as well.
process.umask(0o077)
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED

/** One sentence for the terminal and an exit code; a stack trace helps nobody there. */
const fail = (sentence: string): never => endStart(WRONG_START, showLine(`sluice: ${sentence}`))

const given = ownArguments(process.argv, app.isPackaged ? null : app.getAppPath())
const command = commandIn(given, app.isPackaged)
if (command !== null) {
  endAtFaults()
  await runCommand(import.meta.dirname, command)
}

const readOptions = () => {
  try {
    return parseCommandLine(given, app.isPackaged)
  } catch (error) {
    return fail((error as Error).message)
  }
}

const options = readOptions()
if (options.help) endStart(0, usage)

// Chromium would crash here without a word that helps. It may be told to do without, and notes its own choice as a
// switch, so only what was typed counts.
const { DISPLAY, WAYLAND_DISPLAY } = process.env
const choosesPlatform = process.argv.some((argument) => argument.startsWith('--ozone-platform'))
if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY && !choosesPlatform)
  fail('there is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, or start it under xvfb-run.')

// Before any window or notification, which would be another app's.
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
    `cannot write to the data folder ${dataFolder}. Give another one with --data, or correct its permissions.`,
  )
}
// Before the lock: the lock is per data folder, so that two stations with their own folders can run side by side.
app.setPath('userData', dataFolder)

// Would take a `--no-sandbox` back, without which no child process starts as root; the launchers give it then,
// and only to a source tree.
if (app.isPackaged || !app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
// Lists and figures need no graphics card. Without one a third less is in memory all night, and no driver that crashes
// takes the window along.
app.disableHardwareAcceleration()
// Whatever goes out goes out from the agent: what is left of Chromium's network needs no process of its own, which takes
// 20 MB all night and holds up the first page. macOS closes that process off, which is worth more.
if (process.platform !== 'darwin') app.commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
registerPageScheme()
denyByDefault()

const { task } = options
const enrollFile = options.enrollKeyFile === null ? null : path.resolve(options.enrollKeyFile)
if (!app.requestSingleInstanceLock({ task, enroll: enrollFile })) {
  const running = `Sluice is already running with the data folder ${dataFolder}.`
  if (enrollFile !== null)
    endStart(0, `sluice: ${running} It has been given ${enrollFile}; its log says more.`)
  if (task !== null) endStart(0, `sluice: ${running} It has been asked to: ${taskWords[task]}.`)
  fail(`${running} Its window has been brought to the front.`)
}

const programLog = openProgramLog(logFolder, 'main')
// It says little, and that is mostly trouble.
const log = (message: string) => programLog.warn(message)
programLog.info('Sluice started', { version: app.getVersion(), pid: process.pid })
app.on('will-quit', () => programLog.info('Sluice ended'))
for (const sentence of keepToOwner(dataFolder)) log(sentence)
process.on('uncaughtException', (error) => programLog.error(`uncaught: ${error.stack}`))
process.on('unhandledRejection', (reason) => programLog.error(`unhandled: ${String(reason)}`))

const start = (): void => {
  const locale = personLocale(process.platform, process.env, app)
  writeFor(locale)
  closeSession(session.defaultSession)
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
    letGoAfterMs: letGoAfterMs(app.isPackaged, process.env),
    startHidden: options.hidden || wasOpenedAtLogin(process.platform, app),
    fallback: fallbackOf(process.env),
    command: [
      ...program,
      ...(options.data === null ? [] : ['--data', dataFolder]),
      ...(options.managed === null ? [] : ['--managed', managedFile]),
    ],
    log,
  })
  if (enrollFile !== null) {
    try {
      endStart(0, `sluice: ${desktop.enroll(enrollFile)}`)
    } catch (error) {
      fail((error as Error).message)
    }
  }
  desktop.start()

  if (task !== null) desktop.carryOut(task)
  // By what it was told and not by its arguments: Chromium mixes its own among those.
  app.on('second-instance', (_event, _arguments, _folder, said) => {
    const enroll = askedEnrolment(said)
    if (enroll === null) desktop.carryOut(askedTask(said) ?? 'open')
    else
      try {
        desktop.enroll(enroll)
      } catch (error) {
        log(`the key was not stored: ${(error as Error).message}`)
      }
  })
  app.on('activate', () => desktop.show())

  for (const signal of endSignals(process.platform)) process.on(signal, () => app.quit())

  let drained = false
  app.on('before-quit', (event) => {
    if (drained) return
    event.preventDefault()
    void desktop.stop().finally(() => {
      drained = true
      app.quit()
    })
  })
}

// Not awaited at the top level: Electron becomes ready only once this module has run to its end.
void app.whenReady().then(start)
