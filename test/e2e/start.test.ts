import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright-core'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { needs, posix } from '../support/needs.ts'
import { AppStation, appEnvironment, electron, root, WAIT_MS } from './app.ts'
import { bareApps, withBareApp } from './bare-app.ts'

/** One start is enough for the test; more starts give a better figure. */
const ROUNDS = Number(process.env.SLUICE_ROUNDS ?? 1)

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]

/** Starts npm, the launcher and Electron in one process group, so that one signal ends all of them. */
const startWithNpm = (station: AppStation) => {
  const options = ['--data', station.data, '--password-store=basic', '--remote-debugging-port=0']
  const npm = spawn('npm', ['--silent', 'start', '--', ...options], {
    cwd: root,
    env: appEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  station.closeAtEnd(async () => signalGroup(npm, 'SIGKILL'))
  return npm
}

const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // All processes of the group have ended.
  }
}

/** Returns the debugging address, which Chromium prints. */
const debuggingAddressOf = async (npm: ChildProcess): Promise<string> => {
  const output: string[] = []
  for await (const line of createInterface({ input: npm.stderr! })) {
    output.push(line)
    const [, address] = /^DevTools listening on (\S+)/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`npm start ended before it opened a window:\n${output.join('\n')}`)
}

const timeOfBareWindow = async (): Promise<number> => {
  const startedAt = performance.now()
  return withBareApp(bareApps.window, () => Math.round(performance.now() - startedAt))
}

/** Uses the page's own clock, because polling by the driver would add time. */
const firstPaintOf = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const [paint] = await new Promise<PerformanceEntry[]>((resolve) =>
      new PerformanceObserver((list, observer) => {
        const entries = list.getEntriesByName('first-contentful-paint')
        if (entries.length === 0) return
        observer.disconnect()
        resolve(entries)
      }).observe({ type: 'paint', buffered: true }),
    )
    return performance.timeOrigin + (paint?.startTime ?? Number.NaN)
  })

const timeUntilUsable = async (station: AppStation): Promise<number> => {
  const startedAt = Date.now()
  const npm = startWithNpm(station)
  const browser = await chromium.connectOverCDP(await debuggingAddressOf(npm), { timeout: WAIT_MS })
  const [context] = browser.contexts()
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page', { timeout: WAIT_MS }))
  if (page === undefined) throw new Error('npm start opened no page')
  await page.getByRole('heading', { level: 1 }).waitFor({ timeout: WAIT_MS })
  const tookMs = Math.round((await firstPaintOf(page)) - startedAt)
  await browser.close()
  // `close` comes only after every process has closed its end of the pipe.
  const ended = once(npm, 'close')
  npm.stderr.resume()
  signalGroup(npm, 'SIGTERM')
  await ended
  return tookMs
}

// The test does not run on Windows, which has no signal that ends `npm start`.
describe('npm start', needs(electron, posix), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('opens a window and ends on a signal; the test prints the time until the window is usable', async () => {
    const bareTimes: number[] = []
    const usableTimes: number[] = []
    // Both starts alternate, so that other load affects both.
    for (let round = 0; round < ROUNDS; round += 1) {
      bareTimes.push(await timeOfBareWindow())
      usableTimes.push(await timeUntilUsable(station))
    }
    const words = (times: readonly number[]) =>
      `${median(times)} ms (${Math.min(...times)} to ${Math.max(...times)})`
    console.info(
      `window usable ${words(usableTimes)} after npm start; a bare window of Electron takes ${words(bareTimes)}; rounds: ${ROUNDS}`,
    )
  })
})
