import { expect, it } from 'vitest'
import { isFocused, openScreen, readClipboard } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { describePage } from '../../page/with-page.ts'

describePage('the menu of a recording', (open) => {
  it('opens by keyboard with the actions that apply, and returns the focus to the list when it closes', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('Shift+F10')
    const items = page.getByRole('menuitem')
    await page.getByRole('menu').waitFor()
    // The service refused the site before a session existed, so the menu offers nothing that needs a session.
    expect(await items.allInnerTexts()).toEqual([
      'Open details',
      'Show in folder',
      'Copy path',
      'Copy for support',
      'Try now',
      'Upload first',
      'Pause',
      'Dismiss',
      'Ignore files like this…',
    ])
    expect(await items.first().evaluate((item) => item === document.activeElement)).toBe(true)
    await page.keyboard.press('End')
    expect(await items.last().evaluate((item) => item === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(page, 'grid')).toBe(true)
    await page.keyboard.press('ContextMenu')
    await page.getByRole('menuitem', { name: 'Copy path' }).press('Enter')
    await page.getByText('Path copied.').waitFor()
    expect(await readClipboard(page)).toBe('/data/recordings/hall-3/hall3_20260312_0649.mcap')
    await expect.poll(() => isFocused(page, 'grid')).toBe(true)
  })

  it('opens at the pointer, for the row under the pointer', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const row = page.getByRole('row', { name: /hall3_20260312_0839/ })
    await row.click({ button: 'right' })
    await page.getByRole('menu', { name: 'hall3_20260312_0839.mcap' }).waitFor()
    expect(await row.getAttribute('aria-selected')).toBe('true')
    await page.getByRole('menuitem', { name: 'Upload first' }).click()
    await page.getByText('1 recording moved to the front.').waitFor()
    await row.getByText('First in queue').waitFor({ state: 'attached' })
  })

  it('applies to the whole selection if the row is part of the selection', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Control+a')
    await page.getByText('42 selected').waitFor()
    await page.locator('#recording-row-2').click({ button: 'right' })
    await page.getByRole('menu', { name: '42 selected recordings' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Copy path' }).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Dismiss' }).click()
    await page.getByText('2 recordings dismissed. The other 40 stay unchanged.').waitFor()
  })
})
