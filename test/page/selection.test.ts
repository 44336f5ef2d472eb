import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { describePage } from './with-page.ts'

const offeredActions = (page: Page) =>
  page.getByRole('toolbar', { name: 'Selected recordings' }).getByRole('button').allTextContents()

describePage('the selected recordings', (open) => {
  it('offer only the actions that apply, also after one recording is dismissed and moves in the list', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const failedRow = page.getByRole('row').filter({ hasText: 'processing failed' })
    await failedRow.locator('.cell-check').click()
    await expect.poll(() => offeredActions(page)).toEqual(['Try again', 'Dismiss', 'Show in folder', 'Clear'])
    await page.getByRole('button', { name: 'Dismiss', exact: true }).press('Enter')
    await page.getByText('1 recording dismissed.').waitFor()
    await expect.poll(() => offeredActions(page)).toEqual(['Try again', 'Show in folder', 'Clear'])
  })

  it('offer only Clear if no other action applies to any of them', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await expect.poll(() => offeredActions(page)).toEqual(['Clear'])
  })

  it.each(['Control', 'Meta'])(
    'stay selected while %s and an arrow key move in the list',
    async (commandKey) => {
      const page = await open({ scene: 'busy', moving: false, at: MORNING })
      await openScreen(page, 'Recordings')
      const grid = page.getByRole('grid')
      await grid.press('Space')
      await grid.press(`${commandKey}+ArrowDown`)
      await grid.press(`${commandKey}+ArrowDown`)
      await expect.poll(() => grid.getAttribute('aria-activedescendant')).toBe('recording-row-2')
      expect(await page.locator('#recording-row-0').getAttribute('aria-selected')).toBe('true')
      expect(await page.locator('[role=row][aria-selected=true]').count()).toBe(1)
    },
  )
})

describePage('the details', (open) => {
  it('close with Escape while the list has the focus', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('row').nth(3).click()
    const stages = page.getByRole('heading', { name: 'Stages' })
    await stages.waitFor()
    await page.getByRole('grid').press('Escape')
    await stages.waitFor({ state: 'detached' })
    expect(await page.getByRole('grid').evaluate((grid) => grid === document.activeElement)).toBe(true)
  })

  it.each([1120, 900])('cause no horizontal scrollbar in a window %i px wide', async (width) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width, height: 760 })
    await openScreen(page, 'Recordings')
    await page.getByRole('row').nth(3).click()
    await page.getByRole('heading', { name: 'Stages' }).waitFor()
    await page.locator('.row-open-mark').waitFor()
    const overflowingClasses = await page.evaluate(() =>
      [...document.querySelectorAll('.main, .main *')]
        .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
        .filter((element) => element.scrollWidth > element.clientWidth)
        .map(({ className }) => className),
    )
    expect(overflowingClasses).toEqual([])
  })
})

describePage('names and IDs', (open) => {
  it('show their letters as they are: no ligature turns x into ×', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const fontFeaturesOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).fontFeatureSettings)
    expect(await fontFeaturesOf('.truncated-name')).toBe('"calt" 0')
    expect(await fontFeaturesOf('.attention code')).toBe('"calt" 0')
    expect(await fontFeaturesOf('.recent-row .truncated-name')).toBe('"calt" 0')
  })
})

describePage('the filter chips', (open) => {
  it('show the whole focus ring at 200% zoom', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width: 560, height: 380 })
    await openScreen(page, 'Recordings')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Tab')
    for (let tabs = 0; tabs < 9; tabs += 1) {
      if (await page.evaluate(() => document.activeElement?.classList.contains('chip'))) break
      await page.keyboard.press('Tab')
    }
    const isCut = await page.evaluate(() => {
      const chip = document.activeElement
      const frame = chip?.closest('.chips')
      if (chip == null || frame == null) throw new Error('no chip has the focus')
      const { outlineWidth, outlineOffset } = getComputedStyle(chip)
      const ring = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset)
      const [inner, outer] = [chip.getBoundingClientRect(), frame.getBoundingClientRect()]
      return inner.top - ring < outer.top || inner.left - ring < outer.left
    })
    expect(isCut).toBe(false)
  })
})
