import { writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { scrollThrough, takeLongTasks, timeToOpenRecordings, watchLongTasks } from '../support/page-timing.ts'
import { AppStation, goTo, hasWindow, waitForState } from './app.ts'

const ROWS = 100_000

/** Copies the one recording that is there, each copy with a name and a time of its own. */
const fillJournal = (file: string): void => {
  const db = new Database(file)
  const columns = db.prepare<[], { name: string }>('PRAGMA table_info(recordings)').all()
  const value = (name: string) => {
    switch (name) {
      case 'id':
        return 'NULL'
      case 'path':
      case 'name':
        return `recordings.${name} || '.' || counter.n`
      case 'found_at':
      case 'changed_at':
        return `recordings.${name} - counter.n * 60000`
      case 'state':
        return `'processed'`
      default:
        return `recordings.${name}`
    }
  }
  db.exec(`
    WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${ROWS - 1})
    INSERT INTO recordings (${columns.map((column) => column.name).join(', ')})
    SELECT ${columns.map((column) => value(column.name)).join(', ')} FROM counter, recordings WHERE recordings.id = 1`)
  db.close()
}

describe.skipIf(!hasWindow)('100,000 recordings in the real journal', () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('open at once and scroll to the last one; times are reported', async () => {
    const sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: station.recordings, site: 'Hall 3', settle_seconds: 0 }],
      follow: { poll_seconds: 1 },
    })
    writeFileSync(path.join(station.recordings, 'one.bin'), 'one')
    const first = await station.startApp()
    await goTo(first.page, 'Recordings')
    await waitForState(first.page, 'one.bin', 'Processed')
    await first.quit()
    fillJournal(path.join(station.data, 'journal.db'))

    const { page } = await station.startApp()
    await page.getByRole('heading', { name: /^All 100,000 recordings are safe/ }).waitFor()
    await watchLongTasks(page)
    const openedMs = await timeToOpenRecordings(page)
    await page.getByRole('grid', { name: '100,000 recordings' }).waitFor()
    await takeLongTasks(page)
    await scrollThrough(page)
    await page.locator('[aria-rowindex="100001"] .cell-name').waitFor()
    const long = await takeLongTasks(page)
    console.info(`100,000 rows: list open in ${openedMs} ms; ms of tasks over 50 while scrolling: [${long}]`)
  })
})
