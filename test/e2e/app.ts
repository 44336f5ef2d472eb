import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import type { SettingsInput } from '../../shared/settings.ts'

/** The real app: Electron, its agent process and a real page, started as `npm start` starts it. */

export const electronPath = process.env.SLUICE_ELECTRON
export const launcherArgs = JSON.parse(process.env.SLUICE_ELECTRON_ARGS ?? '[]') as readonly string[]
export const root = path.join(import.meta.dirname, '../..')

/** Tests may themselves run on Electron's Node; the app must not. */
export const appEnvironment = (): Record<string, string> => {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

export const appArguments = (dataFolder: string): string[] => [root, ...launcherArgs, '--data', dataFolder]

export type App = { readonly electron: ElectronApplication; readonly page: Page; readonly usableMs: number }

export const startApp = async (dataFolder: string, extra: readonly string[] = []): Promise<App> => {
  if (electronPath === undefined) throw new Error('SLUICE_ELECTRON names no Electron')
  const startedAt = performance.now()
  const electron = await _electron.launch({
    executablePath: electronPath,
    args: [...appArguments(dataFolder), ...extra],
    cwd: root,
    env: appEnvironment(),
    timeout: 120_000,
  })
  const page = await electron.firstWindow({ timeout: 120_000 })
  page.setDefaultTimeout(120_000)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { electron, page, usableMs: Math.round(performance.now() - startedAt) }
}

/** A folder for the app's data and one that is watched. */
export const makeFolders = (): {
  readonly data: string
  readonly recordings: string
  readonly sandbox: string
} => {
  const base = mkdtempSync(path.join(tmpdir(), 'sluice-e2e-'))
  const folders = {
    data: path.join(base, 'data'),
    recordings: path.join(base, 'recordings'),
    sandbox: path.join(base, 'sandbox'),
  }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  return folders
}

/** Settings as an admin would lay them down before the first start; the key is taken from the file. */
export const writeSettings = (dataFolder: string, settings: SettingsInput): void =>
  writeFileSync(path.join(dataFolder, 'settings.json'), JSON.stringify(settings))

export const goTo = async (page: Page, screen: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('button', { name: screen }).click()
}

/** Waits until the newest recording's row says so. */
export const waitForState = async (page: Page, name: string, state: string): Promise<void> => {
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByText(state, { exact: true })
    .waitFor()
}

export const pidOf = (
  electron: ElectronApplication,
  name: 'Sluice agent' | 'Sluice sandbox',
): Promise<number | null> =>
  electron.evaluate(
    ({ app }, wanted) => app.getAppMetrics().find((metric) => metric.name === wanted)?.pid ?? null,
    name,
  )
