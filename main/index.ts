import { accessSync, constants, mkdirSync } from 'node:fs'
import path from 'node:path'
import { app, type BrowserWindow, session } from 'electron'
import { parseCommandLine, usage } from './shell/command-line.ts'
import { bindCalls, pushEvent } from './shell/ipc.ts'
import { PAGE_URL, registerPageScheme, servePage } from './shell/page-protocol.ts'
import { denyByDefault, denyPermissions } from './shell/session-security.ts'
import { openMainWindow } from './shell/window.ts'
import { Supervisor } from './supervisor.ts'

const fail = (sentence: string): never => {
  process.stderr.write(`sluice: ${sentence}\n`)
  process.exit(1)
}

const readOptions = () => {
  try {
    return parseCommandLine(process.argv.slice(app.isPackaged ? 1 : 2))
  } catch (error) {
    return fail((error as Error).message)
  }
}

const options = readOptions()
if (options.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

const dataFolder = path.resolve(options.data ?? app.getPath('userData'))
try {
  mkdirSync(dataFolder, { recursive: true })
  accessSync(dataFolder, constants.W_OK)
} catch {
  fail(`cannot write to the data folder ${dataFolder}. Give another one with --data, or correct its rights.`)
}
// Before the lock: the lock is per data folder, so that two stations with their own folders can run side by side.
app.setPath('userData', dataFolder)

app.enableSandbox()
registerPageScheme()
denyByDefault()

if (!app.requestSingleInstanceLock())
  fail(
    `Sluice is already running with the data folder ${dataFolder}. Its window has been brought to the front.`,
  )

await app.whenReady()
denyPermissions(session.defaultSession)
const here = import.meta.dirname
servePage(path.join(here, '../renderer'))

const log = (message: string) => process.stderr.write(`${message}\n`)
const supervisor = new Supervisor({
  entry: path.join(here, 'agent/process.js'),
  dataFolder,
  configuration: async () => ({ kind: 'configure', settings: null, apiKey: null, proxyUrl: null }),
})

const show = () =>
  openMainWindow({ pageUrl: PAGE_URL, preload: path.join(here, '../preload/index.cjs'), show: true })
let window: BrowserWindow | null = null

bindCalls({
  pageUrl: PAGE_URL,
  handlers: { getAgentHealth: () => supervisor.health } as never,
  supervisor,
  log,
})
supervisor.on('status', (status) => pushEvent(window, 'status', status))
supervisor.on('health', (health) => pushEvent(window, 'agentHealth', health))
supervisor.on('log', log)
supervisor.start()
window = show()

app.on('second-instance', () => {
  window?.show()
  window?.focus()
})
app.on('window-all-closed', () => app.quit())
let drained = false
app.on('before-quit', (event) => {
  if (drained) return
  event.preventDefault()
  void supervisor.stop().finally(() => {
    drained = true
    app.quit()
  })
})
