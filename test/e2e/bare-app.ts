import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { appEnvironment, electronCommand } from './app.ts'

/** Minimal Electron apps, to compare with Sluice. Each prints `ready` when the test can measure it. */
export const bareApps = {
  /** An empty window. */
  window: `const { app, BrowserWindow } = require('electron')
    app.whenReady().then(() => {
      const window = new BrowserWindow({ show: false })
      window.once('ready-to-show', () => console.log('ready'))
      window.loadURL('data:text/html,<h1>bare</h1>')
    })`,
  /**
   * Like Sluice in the tray, with the same options of Electron: a hidden window without a page, and an idle second
   * process.
   */
  inTray: `const { app, BrowserWindow, utilityProcess } = require('electron')
    app.disableHardwareAcceleration()
    app.commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
    app.whenReady().then(() => {
      globalThis.window = new BrowserWindow({ show: false })
      globalThis.child = utilityProcess.fork(__dirname + '/child.js')
      child.once('message', () => console.log('ready'))
    })`,
} as const

const CHILD = `process.parentPort.postMessage('here'); setInterval(() => {}, 1000)`

/** Runs one of these apps until it is ready and `use` has finished. */
export const withBareApp = async <T>(
  main: string,
  use: (child: ChildProcess) => T | Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bare-'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'bare', main: 'main.js' }))
  writeFileSync(path.join(folder, 'main.js'), main)
  writeFileSync(path.join(folder, 'child.js'), CHILD)
  const [program, args] = electronCommand()
  const child = spawn(program, [folder, ...args], {
    env: appEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  try {
    await once(createInterface({ input: child.stdout }), 'line')
    return await use(child)
  } finally {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
