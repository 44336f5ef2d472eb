import { writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { scrollThrough, takeLongTasks, timeToOpenRecordings, watchLongTasks } from '../support/page-timing.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { type App, electronPath, goTo, makeFolders, startApp, waitForState, writeSettings } from './app.ts'

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

describe.skipIf(electronPath === undefined)('100,000 recordings in the real journal', () => {
  const folders = makeFolders()
  let sandbox: SandboxProcess
  let app: App

  beforeAll(async () => {
    sandbox = await SandboxProcess.start(folders.sandbox)
    writeSettings(folders.data, {
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: folders.recordings, site: 'Hall 3', settle_seconds: 0 }],
      follow: { poll_seconds: 1 },
    })
    writeFileSync(path.join(folders.recordings, 'one.bin'), 'one')
    const first = await startApp(folders.data)
    await goTo(first.page, 'Recordings')
    await waitForState(first.page, 'one.bin', 'Processed')
    await first.electron.close()
    fillJournal(path.join(folders.data, 'journal.db'))
    app = await startApp(folders.data)
  })
  afterAll(async () => {
    await app.electron.close()
    await sandbox.stop()
  })

  it('open at once and scroll to the last one; times are reported', async () => {
    const { page } = app
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
