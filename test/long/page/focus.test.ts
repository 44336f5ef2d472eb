import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { describePage } from '../../page/with-page.ts'

const focusedText = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document
    return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
  })

describePage('the focus', (open) => {
  it('returns to the session after its details close, and to the screen title after the session is deleted', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Service sessions')
    const session = page.getByRole('button', { name: 'hall1_0000.mcap' })
    await session.press('Enter')
    await page.getByRole('button', { name: 'Close details' }).press('Enter')
    await page.getByRole('heading', { name: 'For support' }).waitFor({ state: 'detached' })
    expect(await focusedText(page)).toBe('hall1_0000.mcap')

    await session.press('Enter')
    await page.getByRole('button', { name: 'Delete at the service…' }).press('Enter')
    await page.getByRole('alertdialog').getByRole('textbox').fill('delete')
    await page.getByRole('button', { name: 'Delete for good' }).press('Enter')
    await session.waitFor({ state: 'detached' })
    await expect.poll(() => focusedText(page)).toBe('Service sessions')
  })

  it('is in the list after the selection is cleared, and in the search box after the filters are cleared', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).press('Enter')
    expect(await focusedText(page)).toBe('42 recordings')
    await page.getByRole('searchbox').fill('track')
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    expect(await focusedText(page)).toBe('Search by name, path or session ID')
  })

  it('stays on the button that pauses and resumes uploads', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.getByRole('button', { name: 'Pause uploads' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Until I resume' }).press('Enter')
    await page.getByRole('button', { name: 'Resume uploads' }).waitFor()
    await expect.poll(() => focusedText(page)).toBe('Resume uploads')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    await expect.poll(() => focusedText(page)).toBe('Pause uploads')
  })
})
