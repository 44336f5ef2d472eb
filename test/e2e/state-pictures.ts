import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SettingsInput } from '../../shared/settings/settings.ts'
import { totalOf } from '../../shared/status/night-parts.ts'
import type { Status } from '../../shared/status/status.ts'
import type { SandboxProcess } from '../support/sandbox-process.ts'
import { until } from '../support/station.ts'
import { type App, AppStation } from './app.ts'
import { ask } from './ask.ts'

/** Pictures of the real app in the states that users must distinguish at a glance. */

const MB = 1_000_000

const views = [
  { name: '900x600', width: 900, height: 600, zoom: 1 },
  { name: '1120x760', width: 1120, height: 760, zoom: 1 },
  { name: '1440x900', width: 1440, height: 900, zoom: 1 },
  { name: '200-percent', width: 1440, height: 900, zoom: 2 },
] as const
const themes = ['light', 'dark'] as const

type Scene = {
  readonly station: AppStation
  readonly app: App
  readonly sandbox: SandboxProcess
  /** The folder that is missing in two of the states. */
  readonly second: string
}

type State = {
  readonly settings?: Partial<SettingsInput>
  readonly key?: 'live' | 'none'
  /** Large recordings, which take minutes at the limit of the settings. */
  readonly large?: boolean
  readonly act?: (scene: Scene) => Promise<void> | void
  readonly isShown: (status: Status) => boolean
}

const slow = { transfer: { limit_mbit_per_s: 8 } }
const loseFolder = ({ second }: Scene) => rmSync(second, { recursive: true })
const pause = ({ app }: Scene) => ask(app.page, 'pause', { until: null }).then(() => {})
const hasMissingFolder = ({ folders }: Status) => folders.some(({ state }) => state === 'offline')
const hasCode = ({ station }: Status, code: string) => station.conditions.some((each) => each.code === code)

const states: Readonly<Record<string, State>> = {
  'all-safe': { isShown: ({ station }) => station.state === 'idle' },
  uploading: {
    settings: slow,
    large: true,
    isShown: ({ transfer }) => transfer.uploads.length > 1 && transfer.bytesPerSecond !== null,
  },
  paused: { settings: slow, large: true, act: pause, isShown: ({ station }) => station.state === 'paused' },
  offline: {
    settings: slow,
    large: true,
    act: ({ sandbox }) => sandbox.stop(),
    isShown: (status) => hasCode(status, 'service-unreachable'),
  },
  'key-missing': { key: 'none', isShown: (status) => hasCode(status, 'key-missing') },
  'folder-missing': { act: loseFolder, isShown: hasMissingFolder },
  several: {
    key: 'none',
    act: async (scene) => {
      loseFolder(scene)
      writeFileSync(path.join(scene.station.recordings, 'empty_0619.mcap'), '')
      await pause(scene)
    },
    isShown: (status) =>
      hasMissingFolder(status) &&
      hasCode(status, 'key-missing') &&
      status.needPerson > 0 &&
      status.station.paused,
  },
}

const csv = (seed: number): string =>
  `time,value\n${Array.from({ length: 400 }, (_, at) => `${at},${at * seed}`).join('\n')}\n`

const record = (folder: string, large: boolean): void => {
  for (let take = 1; take <= 9; take += 1) writeFileSync(path.join(folder, `grip_06${take}0.csv`), csv(take))
  const names = [
    'hall3_0817_calibration-before-the-long-run-both-arms.bin',
    'track_0806.bin',
    'hall3_0744.bin',
  ]
  if (large)
    for (const [at, name] of names.entries())
      writeFileSync(path.join(folder, name), Buffer.alloc((20 + at * 9) * MB, at + 1))
}

const open = async (
  station: AppStation,
  { settings, key = 'live', large = false }: State,
): Promise<Scene> => {
  const sandbox = await station.startSandbox(['--processing-delay', '200'])
  const second = station.folder('CARD-04')
  record(station.recordings, large)
  station.writeSettings({
    service: { base_url: sandbox.baseUrl, ...(key === 'none' ? {} : { api_key: sandbox.keys[key] }) },
    folders: [
      { path: station.recordings, site: 'hall-3', device: 'arm-1', settle_seconds: 0.5 },
      { path: second, site: 'hall-3', device: 'mic-1' },
    ],
    follow: { poll_seconds: 0.5 },
    app: { station_name: 'capture-pc-07' },
    ...settings,
  })
  return { station, sandbox, second, app: await station.startApp() }
}

const photograph = async (
  { inMain, page }: App,
  { width, height, zoom }: (typeof views)[number],
  theme: 'light' | 'dark',
): Promise<Buffer> => {
  // The driver decides which scheme the page sees, not the system.
  await page.emulateMedia({ colorScheme: theme })
  await inMain(
    ({ BrowserWindow }, size) => {
      const [window] = BrowserWindow.getAllWindows()
      window?.setContentSize(size.width, size.height)
      window?.webContents.setZoomFactor(size.zoom)
    },
    { width, height, zoom },
  )
  await page.waitForFunction(
    (size) => window.innerWidth === size.width && window.innerHeight === size.height,
    { width: width / zoom, height: height / zoom },
  )
  // Chromium draws a new size a few frames later.
  await page.evaluate(async () => {
    for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame)
  })
  const picture = await inMain(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0] ?? {}
    webContents?.invalidate()
    await webContents?.capturePage()
    return (await webContents?.capturePage())?.toPNG().toString('base64') ?? ''
  })
  return Buffer.from(picture, 'base64')
}

/** Writes one picture per state, size and theme. `only`: names of states; empty for all. */
export const drawStates = async (folder: string, only: readonly string[]): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  for (const [name, state] of Object.entries(states)) {
    if (only.length > 0 && !only.includes(name)) continue
    const station = new AppStation()
    try {
      const scene = await open(station, state)
      const { page } = scene.app
      const status = () => ask(page, 'getStatus').catch(() => null)
      await until('recordings are found and finished', async () => {
        const now = await status()
        return now !== null && totalOf(now.standings) > 0 && now.standings.recording === 0
      })
      await state.act?.(scene)
      await until(`the state ${name}`, async () => {
        const now = await status()
        return now !== null && state.isShown(now)
      })
      await until('the window shows the state', async () => {
        const shown = await page.getByRole('heading', { level: 1 }).textContent()
        return shown?.replaceAll(/\s/g, ' ') === (await status())?.station.headline.replaceAll(/\s/g, ' ')
      })
      for (const theme of themes)
        for (const view of views)
          writeFileSync(
            path.join(folder, `${name}-${view.name}-${theme}.png`),
            await photograph(scene.app, view, theme),
          )
    } finally {
      await station.close()
    }
  }
}
