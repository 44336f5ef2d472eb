import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { linux, needs } from '../support/needs.ts'
import { describeMemory, memoryOfTree } from '../support/process-memory.ts'
import { until } from '../support/station.ts'
import { type App, AppStation, electron, goTo } from './app.ts'
import { bareApps, withBareApp } from './bare-app.ts'

const UNLOAD_AFTER_MS = 400
/** One round is enough for the test; more rounds give a better figure. */
const ROUNDS = Number(process.env.SLUICE_ROUNDS ?? 1)

const hasPage = (app: App): Promise<boolean> =>
  app.inMain(({ app: own }) => own.getAppMetrics().some(({ type }) => type === 'Tab'))

/**
 * A page that has not answered after this time hangs. If the window hides during a frame, Playwright makes the page
 * hang until the window is shown again.
 */
const HANGS_AFTER_MS = 5_000

/**
 * Rejects a query to an unloaded page, because Electron never answers it. If the page hangs, the function shows the
 * hidden window until the page has answered.
 */
const inPage = (app: App, code: string): Promise<unknown> =>
  app.inMain(
    ({ BrowserWindow }, { script, hangsAfterMs }) => {
      const [window] = BrowserWindow.getAllWindows()
      if (window === undefined) throw new Error('there is no window')
      const page = window.webContents
      if (page.isCrashed()) throw new Error('the page is unloaded')
      return new Promise((resolve, reject) => {
        let isWoken = false
        const timer = setTimeout(() => {
          isWoken = !window.isVisible()
          if (isWoken) window.show()
        }, hangsAfterMs)
        const onGone = () => {
          clearTimeout(timer)
          reject(new Error('the page unloaded during the query'))
        }
        page.once('render-process-gone', onGone)
        page
          .executeJavaScript(script)
          .then(resolve, reject)
          .finally(() => {
            clearTimeout(timer)
            page.off('render-process-gone', onGone)
            if (isWoken) window.close()
          })
      })
    },
    { script: code, hangsAfterMs: HANGS_AFTER_MS },
  )

const titleOf = (app: App) => inPage(app, 'document.querySelector("h1")?.textContent ?? ""')

/** Uses the clock of the new page, because polling by the driver takes longer than the paint. */
const paintedAt = async (app: App): Promise<number> =>
  Number(
    await inPage(
      app,
      'performance.timeOrigin + (performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN)',
    ),
  )

const unloadPage = async (app: App): Promise<void> => {
  await app.closeWindow()
  await until('the page is unloaded', async () => {
    // `inPage` wakes a page that hangs. A rejection does not matter: it means that the page unloaded during the query.
    if (await hasPage(app)) await inPage(app, '0').catch(() => {})
    return !(await hasPage(app))
  })
}

/** Shows the window again and returns the milliseconds until the page is painted. */
const showAgain = async (app: App): Promise<number> => {
  const requestedAtMs = await app.inMain(({ app: own }) => {
    own.emit('activate')
    return Date.now()
  })
  await until('the window is shown again', () => app.isShown())
  await until('the page shows the same screen', async () => (await titleOf(app)) === 'Transfer')
  await until('the page is painted', async () => !Number.isNaN(await paintedAt(app)))
  return Math.round((await paintedAt(app)) - requestedAtMs)
}

/**
 * Prints the memory of Electron alone. Call it before the app starts, because two running Electrons would share memory.
 */
const reportBareTray = (): Promise<void> =>
  withBareApp(bareApps.inTray, async ({ pid = 0 }) => {
    // The test measures the app only after its start, too.
    await sleep(5_000)
    console.info(`a bare Electron in the tray: ${describeMemory(memoryOfTree(pid))}`)
  })

describe('a window that has been hidden for a long time', needs(electron, linux), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
    station.writeSettings({
      service: { base_url: 'http://127.0.0.1:9' },
      folders: [{ path: station.recordings, site: 'Hall 3' }],
    })
  })
  afterEach(() => station.close())

  it('unloads its page and returns to the same view; the test prints the memory', async () => {
    if (ROUNDS > 1) await reportBareTray()
    const app = await station.startApp({ env: { SLUICE_UNLOAD_PAGE_AFTER_MS: String(UNLOAD_AFTER_MS) } })
    await goTo(app.page, 'Transfer')
    await app.page.getByRole('heading', { level: 1, name: 'Transfer' }).waitFor()
    const root = app.child.pid ?? 0
    console.info(`with its window: ${describeMemory(memoryOfTree(root))}`)
    await unloadPage(app)
    expect(await app.isShown()).toBe(false)
    console.info(`in the tray: ${describeMemory(memoryOfTree(root))}`)

    const tookMs = [await showAgain(app)]
    while (tookMs.length < ROUNDS) {
      await unloadPage(app)
      tookMs.push(await showAgain(app))
    }
    console.info(`back after ${Math.min(...tookMs)} ms at best; rounds: ${tookMs.join(', ')} ms`)
    // The new page has to request the status, because the app sent it before the page existed.
    await until('the page knows the station', async () => (await inPage(app, 'document.title')) !== 'Sluice')
  })

  it('keeps a page with unsaved input', async () => {
    const app = await station.startApp({ env: { SLUICE_UNLOAD_PAGE_AFTER_MS: String(UNLOAD_AFTER_MS) } })
    await goTo(app.page, 'Transfer')
    const field = app.page.getByRole('textbox', { name: 'Parallel recordings' })
    const discard = app.page.getByRole('button', { name: 'Discard' })
    // Once the form has unsaved input, the page must not unload.
    await until('the form has unsaved input', async () => {
      await field.fill('7')
      return discard.isVisible()
    })
    // The page counts the app's requests to unload. A second request shows that the page did not agree to the first.
    await inPage(app, 'window.queries = 0; window.sluice.on.unloadRequest(() => { window.queries += 1 }); 0')
    await app.closeWindow()
    await until('the app asked twice to unload', async () => Number(await inPage(app, 'window.queries')) >= 2)
    expect(await hasPage(app)).toBe(true)
    await app.inMain(({ app: own }) => void own.emit('activate'))
    await until('the window is shown again', () => app.isShown())
    expect(await field.inputValue()).toBe('7')
  })
})
