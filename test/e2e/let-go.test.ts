import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { linux, needs } from '../support/needs.ts'
import { memoryInWords, memoryOfTree } from '../support/process-memory.ts'
import { until } from '../support/station.ts'
import { type App, AppStation, electron, goTo } from './app.ts'

const LET_GO_MS = 400

const hasPage = (app: App): Promise<boolean> =>
  app.inMain(({ app: own }) => own.getAppMetrics().some(({ type }) => type === 'Tab'))

const inPage = (app: App, code: string): Promise<unknown> =>
  app.inMain(({ BrowserWindow }, asked) => {
    const [window] = BrowserWindow.getAllWindows()
    return window?.webContents.executeJavaScript(asked)
  }, code)

const titleOf = (app: App) => inPage(app, 'document.querySelector("h1")?.textContent ?? ""')

describe('a window that has been hidden for long', needs(electron, linux), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
    station.writeSettings({
      service: { base_url: 'http://127.0.0.1:9' },
      folders: [{ path: station.recordings, site: 'Hall 3' }],
    })
  })
  afterEach(() => station.close())

  it('lets its page go, comes back where it was, and reports what it takes', async () => {
    const app = await station.startApp({ env: { SLUICE_LET_GO_MS: String(LET_GO_MS) } })
    await goTo(app.page, 'Transfer')
    await app.page.getByRole('heading', { level: 1, name: 'Transfer' }).waitFor()
    const root = app.child.pid ?? 0
    console.info(`with its window: ${memoryInWords(memoryOfTree(root))}`)
    await app.closeWindow()
    await until('the page is gone', async () => !(await hasPage(app)))
    expect(await app.isShown()).toBe(false)
    console.info(`in the tray: ${memoryInWords(memoryOfTree(root))}`)

    const askedAt = performance.now()
    await app.inMain(({ app: own }) => void own.emit('activate'))
    await until('the window is shown again', () => app.isShown())
    await until('the page is where it was', async () => (await titleOf(app)) === 'Transfer')
    console.info(`back after ${Math.round(performance.now() - askedAt)} ms`)
    // What happened meanwhile is told anew.
    await until('it knows the station', async () => (await inPage(app, 'document.title')) !== 'Sluice')
  })

  it('keeps a page in which something is typed', async () => {
    const app = await station.startApp({ env: { SLUICE_LET_GO_MS: String(LET_GO_MS) } })
    await goTo(app.page, 'Transfer')
    const field = app.page.getByRole('textbox', { name: 'Recordings at once' })
    await field.fill('7')
    // Counted in the page: by the second question the first one has been left without an answer.
    await inPage(app, 'window.asked = 0; window.sluice.on.rest(() => { window.asked += 1 }); 0')
    await app.closeWindow()
    await until('it was asked twice', async () => Number(await inPage(app, 'window.asked')) >= 2)
    expect(await hasPage(app)).toBe(true)
    await app.inMain(({ app: own }) => void own.emit('activate'))
    await until('the window is shown again', () => app.isShown())
    expect(await field.inputValue()).toBe('7')
  })
})
