import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const offeredActions = (page: Page) =>
  page.getByRole('toolbar', { name: 'Selected recordings' }).getByRole('button').allTextContents()

describePage('the selected recordings', (open) => {
  it('offer only the actions that apply, also after the selected recording is dismissed', async () => {
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
    'stay selected while %s and an arrow key move to a different row',
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
  it('show no ligatures, which would turn x into ×', async () => {
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

describePage('a selection', (open) => {
  it('covers the page first, then all matches; an action applies to all of them', async () => {
    const page = await open({ scene: 'many', rows: 11_100, moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Waiting 3' }).press('Enter')
    await page.getByRole('grid', { name: '3 recordings' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
    await page.getByText('3 selected').waitFor()
    expect(await page.getByText('on this page').count()).toBe(0)

    await page.getByRole('button', { name: /^Safe/ }).press('Enter')
    await page.getByRole('grid', { name: '11,087 recordings' }).waitFor()
    await page.getByRole('grid').press('Control+a')
    await page.getByText('All 100 on this page are selected.').waitFor()
    await page.getByRole('button', { name: 'Select all 11,087 that match' }).press('Enter')
    await page.getByText('11,087 selected').waitFor()
    await page.getByText('All 11,087 recordings that match are selected').waitFor()
    // A new filter clears the selection.
    await page.getByRole('searchbox').fill('_102')
    await page.getByText('100 recordings', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('_10')
    const grid = page.getByRole('grid', { name: '1,000 recordings' })
    await grid.press('Control+a')
    await page.getByText('All 100 on this page are selected.').waitFor()
    // A second press of Ctrl+A does the same as the button “Select all”.
    await grid.press('Control+a')
    await page.getByText('1,000 selected').waitFor()
    expect(await page.getByRole('checkbox').isChecked()).toBe(true)
    // The simulated agent reports 400 of 1,000 recordings and then waits, so that the progress is visible.
    await page.evaluate(() => {
      const { pauseRecordings } = window.sluice.call
      Object.assign(window.sluice.call, {
        pauseRecordings: async (args: never) => {
          await new Promise((continuePause) => Object.assign(window, { continuePause }))
          return pauseRecordings(args)
        },
        getActionProgress: () => Promise.resolve({ ok: true, value: { done: 400, total: 1000 } }),
      })
    })
    await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter')
    await page.getByText('Pause: 400 of 1,000').waitFor()
    await page.evaluate(() => (window as unknown as { continuePause: () => void }).continuePause())
    await page.getByText('Nothing to pause: already paused or uploaded.').waitFor()
    expect(await callArgs(page, 'pauseRecordings')).toEqual([
      { matching: { text: '_10', standings: ['safe'] }, takes: false },
    ])
  })

  it.each([
    ['Pause', 8],
    ['Dismiss', 2],
    ['Upload first', 7],
  ] as const)('gives its recordings their earlier state back when “%s” is undone', async (action, count) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const readStates = () =>
      page.evaluate(async () => {
        const answer = await window.sluice.call.listRecordings({ limit: 500 })
        if (!answer.ok) throw new Error(answer.error.message)
        return answer.value.rows.map(({ id, standing, paused, prioritised, problem, heldSince }) =>
          JSON.stringify([id, standing, paused, prioritised, problem, heldSince]),
        )
      })
    await openScreen(page, 'Recordings')
    const statesBefore = await readStates()
    await page.getByRole('grid').press('Control+a')
    await page.getByRole('button', { name: action, exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const statesAfter = await readStates()
    expect(statesAfter.filter((row) => !statesBefore.includes(row))).toHaveLength(count)
    await page.getByRole('grid').press('Control+z')
    await page.getByText(`Undone for ${count} recordings.`).waitFor()
    expect(await readStates()).toEqual(statesBefore)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('offers no Undo for an action that cannot be undone', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Control+a')
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByText('Trying 5 recordings again.', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })
})
