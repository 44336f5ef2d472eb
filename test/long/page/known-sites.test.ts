import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { describePage } from '../../page/with-page.ts'

describePage('the site of a folder', (open) => {
  it('is chosen from the known sites, by typing or from the list', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    const site = page.getByRole('combobox', { name: 'Site' })
    await site.pressSequentially('tra')
    await page.getByRole('option', { name: 'Test track' }).waitFor()
    await page.keyboard.press('ArrowDown')
    // Enter chooses the option that the field announces, so wait until the field announces one.
    await expect.poll(() => site.getAttribute('aria-activedescendant')).not.toBeNull()
    await page.keyboard.press('Enter')
    await expect.poll(() => site.inputValue()).toBe('Test track')
    // A known site gets no hint to check the spelling.
    expect(await page.getByText('New site', { exact: false }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show list' }).click()
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Hall 3', 'Test track'])
    await page.getByRole('option', { name: 'Hall 3' }).click()
    expect(await site.inputValue()).toBe('Hall 3')
  })

  it('gets a hint to check the spelling if it is new; the dialog offers a similar known site', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Folder', { exact: true }).fill('/data/new')
    await dialog.getByText('Folder OK', { exact: false }).waitFor()
    await dialog.getByLabel('Site').fill('Yard')
    await dialog.getByText('New site “Yard”: check the spelling.', { exact: false }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Watch this folder' }).isEnabled()).toBe(true)
    await dialog.getByLabel('Site').fill('hal-3')
    await dialog.getByRole('button', { name: 'Use “Hall 3”' }).click()
    expect(await dialog.getByLabel('Site').inputValue()).toBe('Hall 3')
    expect(await dialog.getByText('New site', { exact: false }).count()).toBe(0)
  })

  it('is also known from recordings of a folder that is no longer watched', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Stop watching…' }).last().click()
    await page.getByRole('button', { name: 'Stop watching', exact: true }).click()
    await page.getByText('The folder is no longer watched.').waitFor()
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    await page.getByRole('combobox', { name: 'Site' }).pressSequentially('Test')
    await page.getByRole('option', { name: 'Test track' }).waitFor()
  })
})
