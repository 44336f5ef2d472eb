import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SettingsInput } from '../../shared/settings/settings.ts'
import { totalOf } from '../../shared/status/night-parts.ts'
import type { Status } from '../../shared/status/status.ts'
import type { SandboxProcess } from '../support/sandbox-process.ts'
import { until } from '../support/station.ts'
import { type App, AppStation } from './app.ts'
import { callFromPage } from './call-from-page.ts'

/** Screenshots of the real app in the states that users must distinguish at a glance. */

const MB = 1_000_000

const views = [
  { name: '900x600', width: 900, height: 600, zoom: 1 },
  { name: '1120x760', width: 1120, height: 760, zoom: 1 },
  { name: '1440x900', width: 1440, height: 900, zoom: 1 },
  { name: '200-percent', width: 1120, height: 760, zoom: 2 },
] as const
const themes = ['light', 'dark'] as const

type Scene = {
  readonly station: AppStation
  readonly app: App
  readonly sandbox: SandboxProcess
  /** The folder that is missing in two of the states. */
  readonly secondFolder: string
}

type State = {
  readonly settings?: Partial<SettingsInput>
  readonly key?: 'live' | 'none'
  /** Adds large recordings. At the speed limit of `slowUploads`, their upload takes minutes. */
  readonly large?: boolean
  readonly arrange?: (scene: Scene) => Promise<void> | void
  readonly isShown: (status: Status) => boolean
}

const csv = (seed: number): string =>
  `time,value\n${Array.from({ length: 400 }, (_, index) => `${index},${index * seed}`).join('\n')}\n`

const slowUploads = { transfer: { limit_mbit_per_s: 8 } }
const loseFolder = ({ secondFolder }: Scene) => rmSync(secondFolder, { recursive: true })
const pause = ({ app }: Scene) => callFromPage(app.page, 'pause', { until: null }).then(() => {})
/** Stops the service and adds a recording. Without a new recording, Sluice might call only the storage. */
const disconnect = async ({ sandbox, station, app: { page } }: Scene) => {
  const { standings } = await callFromPage(page, 'getStatus')
  await sandbox.stop()
  writeFileSync(path.join(station.recordings, 'grip_0700.csv'), csv(10))
  await until('the new recording waits', async () => {
    const { standings: current } = await callFromPage(page, 'getStatus')
    return totalOf(current) > totalOf(standings) && current.recording === 0
  })
}
const hasMissingFolder = ({ folders }: Status) => folders.some(({ state }) => state === 'offline')
const hasCode = ({ station }: Status, code: string) =>
  station.conditions.some((condition) => condition.code === code)

const states: Readonly<Record<string, State>> = {
  'all-safe': { isShown: ({ station }) => station.state === 'idle' },
  uploading: {
    settings: slowUploads,
    large: true,
    isShown: ({ transfer }) => transfer.uploads.length > 0 && transfer.bytesPerSecond !== null,
  },
  paused: {
    settings: slowUploads,
    large: true,
    arrange: pause,
    isShown: ({ station }) => station.state === 'paused',
  },
  offline: {
    settings: slowUploads,
    large: true,
    arrange: disconnect,
    isShown: (status) => hasCode(status, 'service-unreachable'),
  },
  'key-missing': { key: 'none', isShown: (status) => hasCode(status, 'key-missing') },
  // All recordings are safe, so only words and colours show that a person has to act.
  'folder-missing': {
    arrange: loseFolder,
    isShown: (status) => hasMissingFolder(status) && status.standings.safe === totalOf(status.standings),
  },
  several: {
    key: 'none',
    arrange: async (scene) => {
      loseFolder(scene)
      writeFileSync(path.join(scene.station.recordings, 'empty_0619.mcap'), '')
      await pause(scene)
    },
    isShown: (status) =>
      hasMissingFolder(status) &&
      hasCode(status, 'key-missing') &&
      status.needAttention > 0 &&
      status.station.paused,
  },
}

const record = (folder: string, large: boolean): void => {
  for (let take = 1; take <= 9; take += 1) writeFileSync(path.join(folder, `grip_06${take}0.csv`), csv(take))
  const names = [
    'hall3_0817_calibration-before-the-long-run-both-arms.bin',
    'track_0806.bin',
    'hall3_0744.bin',
  ]
  if (large)
    for (const [index, name] of names.entries())
      writeFileSync(path.join(folder, name), Buffer.alloc((60 + index * 27) * MB, index + 1))
}

const openScene = async (
  station: AppStation,
  { settings, key = 'live', large = false }: State,
): Promise<Scene> => {
  const sandbox = await station.startSandbox(['--processing-delay', '200'])
  const secondFolder = station.folder('CARD-04')
  record(station.recordings, large)
  station.writeSettings({
    service: { base_url: sandbox.baseUrl, ...(key === 'none' ? {} : { api_key: sandbox.keys[key] }) },
    folders: [
      { path: station.recordings, site: 'hall-3', device: 'arm-1', settle_seconds: 0.5 },
      { path: secondFolder, site: 'hall-3', device: 'mic-1' },
    ],
    follow: { poll_seconds: 0.5 },
    app: { station_name: 'capture-pc-07' },
    ...settings,
  })
  return { station, sandbox, secondFolder, app: await station.startApp() }
}

type View = (typeof views)[number]

const showView = async ({ inMain, page }: App, { width, height, zoom }: View, theme: 'light' | 'dark') => {
  // The driver decides which scheme the page sees, not the system.
  await page.emulateMedia({ colorScheme: theme })
  // A pointer over a row would highlight the row.
  await page.mouse.move(0, 0)
  await inMain(
    ({ BrowserWindow }, size) => {
      const [window] = BrowserWindow.getAllWindows()
      window?.setContentSize(size.width, size.height)
      window?.webContents.setZoomFactor(size.zoom)
    },
    { width, height, zoom },
  )
  await page.waitForFunction(
    (expected) =>
      window.innerWidth === expected.width &&
      window.innerHeight === expected.height &&
      window.matchMedia('(prefers-color-scheme: dark)').matches === expected.isDark &&
      document.querySelector('.loading-rows') === null,
    { width: width / zoom, height: height / zoom, isDark: theme === 'dark' },
  )
  // Chromium draws a new size a few frames later.
  await page.evaluate(async () => {
    await document.fonts.ready
    document.querySelector('.main')?.scrollTo(0, 0)
    for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame)
  })
}

const capture = async ({ inMain }: App) => {
  const { screenshot, ...size } = await inMain(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0] ?? {}
    webContents?.invalidate()
    await webContents?.capturePage()
    const image = await webContents?.capturePage()
    return { screenshot: image?.toPNG().toString('base64') ?? '', ...image?.getSize() }
  })
  return { png: Buffer.from(screenshot, 'base64'), ...size }
}

/** Waits for a new frame. A screenshot of the wrong size, or equal to the previous one, shows the old view. */
const captureView = async (
  app: App,
  view: View,
  theme: 'light' | 'dark',
  before: Buffer,
): Promise<Buffer> => {
  await showView(app, view, theme)
  return until(`a new frame of ${view.name}, ${theme}`, async () => {
    const { png, width, height } = await capture(app)
    const isNew = width === view.width && height === view.height && !png.equals(before)
    return isNew ? png : null
  })
}

/** Writes one screenshot per state, size and theme. `onlyNames` selects states by name. An empty list selects all. */
export const captureStates = async (folder: string, onlyNames: readonly string[]): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  for (const [name, state] of Object.entries(states)) {
    if (onlyNames.length > 0 && !onlyNames.includes(name)) continue
    const station = new AppStation()
    try {
      const scene = await openScene(station, state)
      const { page } = scene.app
      const status = () => callFromPage(page, 'getStatus').catch(() => null)
      await until('recordings are found and finished', async () => {
        const current = await status()
        return current !== null && totalOf(current.standings) > 0 && current.standings.recording === 0
      })
      await state.arrange?.(scene)
      await until(`the state ${name}`, async () => {
        const current = await status()
        return current !== null && state.isShown(current)
      })
      await until('the window shows the state', async () => {
        const shown = await page.getByRole('heading', { level: 1 }).textContent()
        return shown?.replaceAll(/\s/g, ' ') === (await status())?.station.headline.replaceAll(/\s/g, ' ')
      })
      let screenshot: Buffer = Buffer.alloc(0)
      for (const theme of themes)
        for (const view of views) {
          screenshot = await captureView(scene.app, view, theme, screenshot)
          const lastStatus = await status()
          if (lastStatus === null || !state.isShown(lastStatus))
            throw new Error(`the state ${name} ended meanwhile`)
          writeFileSync(path.join(folder, `${name}-${view.name}-${theme}.png`), screenshot)
        }
    } finally {
      await station.close()
    }
  }
}
