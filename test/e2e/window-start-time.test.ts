import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needs, posix } from '../support/needs.ts'
import { AppStation, electron } from './app.ts'
import { callFromPage } from './call-from-page.ts'

/** One start of each kind is enough for the test; more starts give a better figure. */
const ROUNDS = Number(process.env.SLUICE_ROUNDS ?? 1)

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

/** Measures the time from the start of the app until the title of the page names the station. */
const timeUntilStationShown = async (
  station: AppStation,
): Promise<{ tookMs: number; isAttached: boolean }> => {
  const startedAtMs = Date.now()
  const { page, quit } = await station.openApp()
  const paintedAt = await page.waitForFunction(
    () => document.title !== 'Sluice' && performance.timeOrigin + performance.now(),
  )
  const tookMs = Math.round(Number(await paintedAt.jsonValue()) - startedAtMs)
  const { attached } = await callFromPage(page, 'getAgentHealth')
  await quit()
  return { tookMs, isAttached: attached !== undefined }
}

describe('a new window shows the station', needs(electron, posix), () => {
  let own: AppStation
  let attached: AppStation
  beforeEach(() => {
    ;[own, attached] = [new AppStation(), new AppStation()]
    for (const station of [own, attached])
      station.writeSettings({
        service: { base_url: 'http://127.0.0.1:9' },
        folders: [{ path: station.recordings, site: 'Hall 3' }],
      })
  })
  afterEach(async () => {
    await own.close()
    await attached.close()
  })

  it('with the app’s own agent and with an attached agent; the test prints the two durations', async () => {
    await attached.startOutsideAgent()
    const [ownMs, attachedMs]: [number[], number[]] = [[], []]
    // Both starts alternate, so that other load affects both.
    for (let round = 0; round < ROUNDS; round += 1) {
      const [ownStart, attachedStart] = [
        await timeUntilStationShown(own),
        await timeUntilStationShown(attached),
      ]
      expect([ownStart.isAttached, attachedStart.isAttached]).toEqual([false, true])
      ownMs.push(ownStart.tookMs)
      attachedMs.push(attachedStart.tookMs)
    }
    const ratios = ownMs.map((ms, round) => (attachedMs[round] ?? Number.NaN) / ms)
    console.info(
      `station shown after ${median(ownMs)} ms with the app's own agent, ${median(attachedMs)} ms with an attached agent, ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}); rounds: ${ROUNDS}`,
    )
  })
})
