import { expect, it } from 'vitest'
import { openScreen, readClipboard } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const SAVE_BUTTON = 'Save a report for support…'

describePage('the report for support', (open) => {
  it('lists what it never contains, and shows its path after it is saved', async () => {
    const page = await open({ scene: 'busy' })
    await openScreen(page, 'About')
    await page.getByRole('heading', { name: 'It never contains' }).waitFor()
    await page.getByText('a key or a password').waitFor()
    expect(await callArgs(page, 'saveSupportReport')).toEqual([])

    await page.getByRole('button', { name: SAVE_BUTTON }).click()
    await page.getByRole('button', { name: 'Saving…' }).waitFor()
    await page.evaluate(() => window.scripted.finishSaving())
    await page.getByText('sluice-report-2026-03-12-0842.json', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Show in folder' }).click()
    await expect.poll(() => callArgs(page, 'showSupportReport')).toHaveLength(1)
  })

  it('shows why it could not be saved, and can be retried', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'About')
    await page.evaluate(() =>
      window.scripted.failNext('saveSupportReport', {
        kind: 'refused',
        message: 'The report could not be written to E:\\r.json. The drive is full.',
      }),
    )
    await page.getByRole('button', { name: SAVE_BUTTON }).click()
    await page.getByRole('alert').getByText('The drive is full.', { exact: false }).waitFor()
    await page.getByRole('button', { name: SAVE_BUTTON }).click()
    await page.getByText('Saved as', { exact: false }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })
})

describePage('diagnostics', (open) => {
  it('check service, clock, journal, keychain and folders when the user opens the screen', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'About')
    for (const words of [
      'Reachable. The key can read and upload.',
      'Within 1 second of the service’s clock.',
      'Intact; 4.6 MB, last backup 21 min ago.',
      'The system protects the key (gnome_libsecret).',
      'Readable and writable. The system reports new files.',
      'turn sleep off.',
    ])
      await page.getByText(words).first().waitFor()
    await page.getByRole('button', { name: 'Open the data folder' }).click()
    await page.getByRole('button', { name: 'Open the log folder' }).click()
    await expect.poll(() => callArgs(page, 'openFolder')).toEqual([{ which: 'data' }, { which: 'logs' }])
  })

  it('show why the station could not be checked, and check again on request', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() =>
      window.scripted.failNext('checkStation', {
        kind: 'agent-unavailable',
        message: 'Sluice is just starting again.',
      }),
    )
    await openScreen(page, 'About')
    await page.getByText('Sluice is just starting again.').waitFor()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('Reachable. The key can read and upload.').waitFor()
  })
})

describePage('a receipt', (open) => {
  it('for a period cannot be saved if the period ends before it begins', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'About')
    const saveButton = page.getByRole('button', { name: 'Save a receipt…' })
    await page.getByLabel('From').fill('2026-03-02')
    await page.getByLabel('To', { exact: true }).fill('2026-03-01')
    await page.getByText('Choose the first date or a later one.').waitFor()
    expect(await saveButton.isDisabled()).toBe(true)
    await page.getByLabel('To', { exact: true }).fill('2026-03-08')
    await saveButton.click()
    await page.getByText('34 recordings saved as', { exact: false }).waitFor()
    const since = new Date(2026, 2, 2).toISOString()
    const until = new Date(2026, 2, 9).toISOString()
    expect(await callArgs(page, 'saveReceipt')).toEqual([{ of: { since, until } }])
  })
})

describePage('the text for support', (open) => {
  it('is copied from a card of the overview, with three recordings', async () => {
    const page = await open({ scene: 'refused', moving: false, at: MORNING })
    await page.getByRole('button', { name: 'More actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Copy for support' }).press('Enter')
    await page.getByText('Copied for support.').waitFor()
    const text = await readClipboard(page)
    expect(text).toContain('Station: capture-pc-07\nVersion: 0.1.0, Linux 6.1 (x64)\n')
    expect(text).toContain('Problem: site-refused\n')
    expect(text).toContain('Recordings: 1000\n')
    expect(text.match(/^File: /gm)).toHaveLength(3)
  })

  it('is copied from the details of a recording, even without a problem', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings/15'))
    await page.getByRole('button', { name: 'Copy for support' }).press('Enter')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const text = await readClipboard(page)
    expect(text).toContain('Status: Safe (processed)\n')
    expect(text).toContain('Session ID: ses_8999986\n')
    expect(text).toMatch(/^Request: req_\w+ at 2026-03-12T.*: .*$/m)
  })
})
