import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openDisplay } from '../../scripts/window/display.mjs'
import { needs, program } from '../support/needs.ts'
import { until } from '../support/station.ts'
import { AppStation, electron, goTo, waitForState } from './app.ts'
import { SessionBus } from './session-bus.ts'

type Entry = {
  readonly label?: string
  readonly 'toggle-state'?: number
  readonly items: readonly Entry[]
}
type Icon = {
  readonly tooltip: string
  readonly iconWidths: readonly number[]
  readonly items: readonly Entry[]
}

/**
 * Reads and clicks the tray icon, as the panel of a desktop does. The app's own panel is the window that a click on the
 * icon opens.
 */
const startPanel = async (bus: SessionBus) => {
  const host = path.join(import.meta.dirname, 'tray-host.mjs')
  const panel = await bus.serve('org.kde.StatusNotifierWatcher', 'gjs', ['-m', host])
  const lines = createInterface({ input: panel.stdout })
  const query = async (question: string): Promise<unknown> => {
    panel.stdin.write(`${question}\n`)
    const [line] = (await once(lines, 'line')) as [string]
    return JSON.parse(line)
  }
  const readIcon = async () => (await query('look')) as Icon | null
  const labels = async () => (await readIcon())?.items.map((entry) => entry.label ?? '—') ?? []
  return {
    look: readIcon,
    labels,
    waitForEntry: (label: string) =>
      until(`the menu shows "${label}"`, async () => (await labels()).includes(label)),
    press: (label: string) =>
      until(`"${label}" can be pressed`, async () => (await query(`click ${label}`)) === true),
    leftClick: () => query('activate'),
  }
}

/**
 * The app's panel closes when it loses the focus. On a shared display, the window of a different test could take the
 * focus.
 */
const openOwnDisplay = async () => {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env
  const display = await openDisplay(env)
  onTestFinished(display.stop)
  return { DISPLAY: display.env.DISPLAY ?? '' }
}

const programs = ['dbus-daemon', 'gjs', 'Xvfb'].map(program)

describe('the icon in a real tray', needs(electron, ...programs), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('shows the status, pauses and resumes, starts at login, shows the panel and the window, and quits', async () => {
    const bus = await SessionBus.start(station)
    const panel = await startPanel(bus)
    const sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: station.recordings, site: 'Hall 3', settle_seconds: 0 }],
      follow: { poll_seconds: 1 },
    })
    writeFileSync(path.join(station.recordings, 'night & day_2.bin'), 'one')
    const env = { ...bus.env, ...(await openOwnDisplay()) }
    const { page, child, isShown, closeWindow, inMain } = await station.startApp({ env })
    await goTo(page, 'Recordings')
    await waitForState(page, 'night & day_2.bin', 'Safe')

    // In a menu label, "_" marks a shortcut, and "__" is one underscore.
    await panel.waitForEntry('night & day__2.bin  ·  Safe  ·  3 B')
    const icon = await panel.look()
    const [headline, ...rest] = icon?.items.map((entry) => entry.label ?? '—') ?? []
    expect(headline).toMatch(/^The recording is safe/)
    expect(icon?.tooltip).toBe(`${hostname()}: ${headline}`)
    expect(icon?.iconWidths.length).toBeGreaterThan(0)
    expect(rest).toEqual([
      'Test key: nothing here reaches production.',
      expect.stringMatching(/^Processed /),
      '—',
      'night & day__2.bin  ·  Safe  ·  3 B',
      '—',
      'Pause uploads',
      'Open Sluice',
      'Start at login',
      '—',
      'Quit Sluice',
    ])

    await panel.press('Until I resume')
    await page.getByRole('button', { name: 'Resume uploads' }).waitFor()
    await panel.press('Resume uploads')
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()

    await panel.press('Start at login')
    const entry = path.join(bus.env.XDG_CONFIG_HOME ?? '', 'autostart/sluice.desktop')
    await until('there is a login item', () => existsSync(entry))
    await until('the menu shows “Start at login” as ticked', async () =>
      (await panel.look())?.items.some((item) => item['toggle-state'] === 1),
    )

    await closeWindow()
    await until('the window is hidden', async () => !(await isShown()))
    const noticeMarker = path.join(station.data, 'hidden-window-announced')
    await until('the one-time notice is recorded as shown', () => existsSync(noticeMarker))
    const openPanel = async () => {
      const [opened] = await Promise.all([page.context().waitForEvent('page'), panel.leftClick()])
      await opened.getByRole('heading', { level: 1, name: /^The recording is safe/ }).waitFor()
      return opened
    }
    // The action closes the app's panel, so the driver may get no answer and report an error.
    const waitForClose = (opened: Page, action: () => Promise<unknown>) =>
      Promise.all([opened.waitForEvent('close'), action().catch(() => undefined)])
    const firstPanel = await openPanel()
    await until('the panel fits its content', () => firstPanel.evaluate(() => window.innerHeight < 300))
    const calls = await firstPanel.evaluate(() => Object.keys(window.sluice.call).toSorted())
    expect(calls).toEqual(['getAgentHealth', 'getStatus', 'openWindow', 'pause', 'resume'])
    await firstPanel.getByRole('button', { name: 'Pause uploads' }).click()
    await firstPanel.getByRole('button', { name: 'Resume uploads' }).click()
    await firstPanel.getByRole('button', { name: 'Pause uploads' }).waitFor()
    await waitForClose(firstPanel, () => firstPanel.keyboard.press('Escape'))
    expect(await isShown()).toBe(false)

    const secondPanel = await openPanel()
    const blurPanel = () =>
      inMain(({ BrowserWindow }) => {
        for (const window of BrowserWindow.getAllWindows())
          if (window.webContents.getURL().endsWith('#panel')) (window as NodeJS.EventEmitter).emit('blur')
      })
    await waitForClose(secondPanel, blurPanel)
    // For 300 ms after its panel closes, the app ignores clicks on the icon. Wait instead of clicking again: a
    // second click would close the panel.
    await inMain(() => new Promise((resolve) => setTimeout(resolve, 400)))
    const thirdPanel = await openPanel()
    await waitForClose(thirdPanel, () => thirdPanel.getByRole('button', { name: 'Open Sluice' }).click())
    await until('the window is shown again', isShown)

    const ended = once(child, 'exit')
    await panel.press('Quit Sluice')
    expect(await ended).toEqual([0, null])
  })
})
