import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { AppStation, goTo, waitForState, window } from '../e2e/app.ts'
import { copyRecording } from '../support/journal-file.ts'
import { needs } from '../support/needs.ts'
import {
  measureTimeToOpenRecordings,
  scrollThroughList,
  takeLongTasks,
  watchLongTasks,
} from '../support/page-timing.ts'

const ROWS = 100_000

describe('100,000 recordings in the real journal', needs(window), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('the list opens and scrolls to the last recording (the test prints the times)', async () => {
    const sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: station.recordings, site: 'Hall 3', settle_seconds: 0 }],
      follow: { poll_seconds: 1 },
    })
    writeFileSync(path.join(station.recordings, 'one.bin'), 'one')
    const first = await station.startApp()
    await goTo(first.page, 'Recordings')
    await waitForState(first.page, 'one.bin', 'Safe')
    await first.quit()
    copyRecording(station.data, ROWS, { state: `'processed'` })

    const { page } = await station.startApp()
    await page.getByRole('heading', { name: /^All 100,000 recordings are safe/ }).waitFor()
    await watchLongTasks(page)
    const openedMs = await measureTimeToOpenRecordings(page)
    await page.getByRole('grid', { name: '100,000 recordings' }).waitFor()
    await takeLongTasks(page)
    await scrollThroughList(page)
    await page.locator('#recording-row-99999 .cell-name').waitFor()
    const longTasksMs = await takeLongTasks(page)
    console.info(
      `100,000 rows: list open in ${openedMs} ms; tasks over 50 ms while scrolling, in ms: [${longTasksMs}]`,
    )
  })
})
