import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppStation, window as aWindow, electron, goTo } from '../../e2e/app.ts'
import { drop } from '../../page/drop.ts'
import { needs } from '../../support/needs.ts'

const KEY = 'svc_test_kept_0123456789abcdef'

describe('the real app', () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
    station.writeSettings({
      // No service runs at this address. The test needs none.
      service: { base_url: 'http://127.0.0.1:9', api_key: KEY },
      folders: [{ path: station.recordings, site: 'Hall 3' }],
    })
  })
  afterEach(() => station.close())

  it('exports settings without the key, and imports them after a preview', needs(aWindow), async () => {
    const file = path.join(station.data, 'settings.json')
    const exported = path.join(station.data, 'exported.json')
    const { page, saveDialogsTo, openDialogsWith } = await station.startApp()
    await saveDialogsTo(exported)
    await goTo(page, 'About')
    await page.getByRole('button', { name: 'Export settings…' }).click()
    await page.getByText('It does not contain the key.', { exact: false }).waitFor()
    const text = readFileSync(exported, 'utf8')
    expect(text).not.toContain(KEY)

    // Notepad and PowerShell can save a file as UTF-16 with a byte order mark.
    writeFileSync(exported, `\ufeff${text.replace('Hall 3', 'Hall 4')}`, 'utf16le')
    await openDialogsWith(exported)
    const before = readFileSync(file, 'utf8')
    const pressImport = () => page.getByRole('button', { name: 'Import settings…' }).click()
    await pressImport()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Hall 4').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(readFileSync(file, 'utf8')).toBe(before)
    await pressImport()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Settings imported from', { exact: false }).waitFor()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      service: { api_key: KEY },
      folders: [{ site: 'Hall 4' }],
    })

    writeFileSync(exported, text.replace('"site"', '"sight"'))
    await pressImport()
    const line = text.split('\n').findIndex((textLine) => textLine.includes('"site"')) + 1
    await dialog.getByText(`Line ${line}`).first().waitFor()
    await dialog.getByText('Unknown setting “sight”', { exact: false }).waitFor()
  })

  it('gets the path of a folder that is dropped on the window', needs(electron), async () => {
    const folder = path.join(station.recordings, 'ünter dem Dach')
    mkdirSync(folder)
    const { page } = await station.startApp()
    await drop(page, [folder])
    const dialog = page.getByRole('dialog', { name: 'Watch another folder' })
    await dialog.getByText('It is inside', { exact: false }).waitFor()
    expect(await dialog.getByLabel('Folder', { exact: true }).inputValue()).toBe(folder)
    // The dialog suggests the site of the watched parent folder.
    expect(await dialog.getByLabel('Site').inputValue()).toBe('Hall 3')
    expect(
      await page.evaluate(() =>
        (window as unknown as { sluice: { pathOf: (dropped: unknown) => string } }).sluice.pathOf({
          name: 'not a dropped file',
        }),
      ),
    ).toBe('')
  })
})
