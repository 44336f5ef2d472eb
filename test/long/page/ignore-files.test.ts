import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

type SavedSettings = { readonly folders: readonly { readonly exclude: readonly string[] }[] }

const savedExcludePatterns = async (page: Page): Promise<readonly string[]> =>
  ((await callArgs(page, 'saveSettings')).at(-1) as SavedSettings).folders.flatMap(({ exclude }) => exclude)

describePage('“Ignore files like this…”', (open) => {
  it('on a card, previews the pattern, excludes the files and dismisses the recording; Undo reverts both', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const cards = page.getByRole('region', { name: 'Problems' })
    const cardCount = await cards.getByRole('article').count()
    await cards.getByRole('button', { name: 'More actions' }).first().press('Enter')
    await page.getByRole('menuitem', { name: 'Ignore files like this…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Ignore files like this' })
    await dialog.getByText('1 recording needs attention and will be dismissed.').waitFor()
    const pattern = await dialog.getByRole('radio', { checked: true }).inputValue()
    await dialog.getByRole('button', { name: 'Ignore them' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(`Files like ${pattern} are ignored. 1 recording dismissed.`).waitFor()
    expect(await savedExcludePatterns(page)).toContain(pattern)
    expect(await cards.getByRole('article').count()).toBe(cardCount - 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`Files like ${pattern} are no longer ignored.`).waitFor()
    expect(await savedExcludePatterns(page)).not.toContain(pattern)
    await expect.poll(() => cards.getByRole('article').count()).toBe(cardCount)
  })

  it('in the menu of a row, warns if a wider pattern matches recordings that Sluice uploads', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid')
    await grid.press('ArrowDown')
    await grid.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Ignore files like this…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Ignore files like this' })
    await dialog.getByRole('radio', { name: /^\*\*\/\*\.mcap/ }).press('Space')
    await dialog.getByText('Sluice currently uploads files like these.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await callArgs(page, 'ignoreRecordings')).toEqual([])
  })

  it('cannot be confirmed if an administrator manages the folders, and says so', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.manage(['folders']))
    await page
      .getByRole('region', { name: 'Problems' })
      .getByRole('button', { name: 'More actions' })
      .first()
      .press('Enter')
    await page.getByRole('menuitem', { name: 'Ignore files like this…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Ignore files like this' })
    await dialog.getByText('Set by your administrator').last().waitFor()
    expect(await dialog.getByRole('button', { name: 'Ignore them' }).isDisabled()).toBe(true)
  })

  it('restores the dismissed recordings if the settings cannot be saved', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const cards = page.getByRole('region', { name: 'Problems' })
    const cardCount = await cards.getByRole('article').count()
    await page.evaluate(() =>
      window.scripted.failNext('saveSettings', { kind: 'refused', message: 'The disk is full.' }),
    )
    await cards.getByRole('button', { name: 'More actions' }).first().press('Enter')
    await page.getByRole('menuitem', { name: 'Ignore files like this…' }).press('Enter')
    await page.getByRole('button', { name: 'Ignore them' }).press('Enter')
    await page.getByText('The disk is full.').waitFor()
    await expect.poll(() => cards.getByRole('article').count()).toBe(cardCount)
  })
})
