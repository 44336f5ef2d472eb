import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const SHOW_BUTTON = 'Show third-party licences'

describePage('the licences', (open) => {
  it('are listed with name, version and licence, and their texts open by keyboard', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'About')
    expect(await callArgs(page, 'getLicences')).toEqual([])
    await page.getByRole('button', { name: SHOW_BUTTON }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Licences' })
    await dialog.getByText('13 packages').waitFor()
    expect(await dialog.getByRole('listitem').first().textContent()).toBe(
      '@internationalized/number3.6.9Apache-2.0',
    )

    // The search field has the focus, and the next Tab stop is the first result.
    await page.keyboard.type('SQLITE')
    await dialog.getByText('1 of 13 packages').waitFor()
    expect(await dialog.getByText('Copyright (c)').count()).toBe(0)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.getByText('Copyright (c) the authors of better-sqlite3').waitFor()

    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(SHOW_BUTTON)
  })

  it('are found by licence too, and an empty result is reported', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'About')
    await page.getByRole('button', { name: SHOW_BUTTON }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('searchbox').fill('bsd')
    await dialog.getByRole('status').getByText('2 of 13 packages').waitFor()
    await dialog.getByRole('searchbox').fill('no such')
    await dialog.getByRole('status').getByText('0 of 13 packages').waitFor()
    expect(await dialog.getByRole('listitem').count()).toBe(0)
  })

  it('show why the list cannot be read, instead of an empty list', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'About')
    await page.evaluate(() =>
      window.scripted.failNext('getLicences', { kind: 'refused', message: 'The list cannot be read.' }),
    )
    await page.getByRole('button', { name: SHOW_BUTTON }).click()
    await page.getByRole('alert').getByText('The list cannot be read.').waitFor()
    expect(await page.getByRole('dialog').getByRole('list').count()).toBe(0)
  })
})
