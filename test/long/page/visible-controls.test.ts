import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isInSight, openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import type { Scene } from '../../page/scripted/scene.ts'
import { describePage } from '../../page/with-page.ts'

const expectInSight = (locator: Locator) => expect.poll(() => isInSight(locator)).toBe(true)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

describePage('the visible part of the window', (open) => {
  /** At 200% zoom, the usual window of 1120 × 760 has 560 × 380 CSS pixels. */
  const openAt200Percent = (scene: 'busy' | 'empty') =>
    open({ scene, moving: false, at: MORNING, width: 560, height: 380 })

  it('shows “Not saved” and Save after a change', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Transfer')
    await page.getByRole('radio', { name: 'Closed' }).click()
    await page.getByRole('gridcell', { name: 'Saturday 09:00' }).focus()
    await page.keyboard.press('Space')
    await expectInSight(page.getByText('Not saved'))
    await expectInSight(button(page, 'Save'))
  })

  it('shows the actions of a card beside its text at 200% zoom, so that several cards fit', async () => {
    const page = await open({ scene: 'conditions', moving: false, at: MORNING, width: 720, height: 450 })
    const cards = await page.locator('.attention').all()
    expect(cards.length).toBeGreaterThan(2)
    for (const card of cards) {
      const words = await card.locator('.attention-next').boundingBox()
      const action = await card.getByRole('button').first().boundingBox()
      expect(action?.y ?? Number.NaN).toBeLessThan((words?.y ?? 0) + (words?.height ?? 0))
    }
    for (const card of cards.slice(0, 2)) await expectInSight(card.getByRole('button').first())
  })

  it('shows percent and name of an upload on one line at 200% zoom, and the bar below', async () => {
    const page = await openAt200Percent('busy')
    const row = page.locator('.now-row').first()
    const [name, percent, bar] = await Promise.all(
      ['.truncated-name', 'strong', '.progress'].map((part) => row.locator(part).boundingBox()),
    )
    if (name == null || percent == null || bar == null) throw new Error('the row is not complete')
    expect(Math.abs(percent.y - name.y)).toBeLessThan(4)
    expect(percent.x + percent.width).toBeCloseTo(bar.x + bar.width, 0)
    expect(bar.y).toBeGreaterThanOrEqual(name.y + name.height)
  })

  it.each<Scene>(['busy', 'calm', 'paused', 'offline', 'conditions', 'keyless', 'silent', 'short-of-space'])(
    'in “%s”, cuts no words of the overview at 200% zoom',
    async (scene) => {
      const page = await open({ scene, moving: false, at: MORNING, width: 560, height: 380 })
      await page.getByRole('region', { name: 'Time left' }).waitFor()
      const cutTexts = await page.locator('main *').evaluateAll((elements) =>
        elements
          .filter((element) => element.closest('.truncated-name, .visually-hidden, .plot-place') === null)
          .filter((element) => getComputedStyle(element).overflowX !== 'visible')
          .filter((element) => element.scrollWidth > element.clientWidth)
          .map((element) => element.textContent),
      )
      expect(cutTexts).toEqual([])
    },
  )

  it('shows in the status bar at 200% zoom who must act, and cuts none of these words', async () => {
    const page = await openAt200Percent('busy')
    const headline = page.locator('.statusbar-state .marked > span')
    await headline.getByText('Your administrator and support must act').waitFor()
    // The browser adds an ellipsis even if only a fraction of a pixel is missing.
    const missingWidth = await headline.evaluate((element) => {
      const text = document.createRange()
      text.selectNodeContents(element)
      return text.getBoundingClientRect().width - element.getBoundingClientRect().width
    })
    expect(missingWidth).toBeLessThanOrEqual(0)
  })

  it('shows the name of the station at 200% zoom, unless the status bar reports a problem', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING, width: 560, height: 380 })
    const name = page.locator('.statusbar-name')
    await name.waitFor()
    expect(await name.textContent()).toBe(await page.locator('.station-name').textContent())
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    const widePage = await open({ scene: 'calm', moving: false, at: MORNING })
    expect(await widePage.locator('.statusbar-name').isVisible()).toBe(false)
    const offlinePage = await open({ scene: 'offline', moving: false, at: MORNING, width: 560, height: 380 })
    await offlinePage.locator('.statusbar').getByText('Service unreachable').waitFor()
    expect(await offlinePage.locator('.statusbar-name').count()).toBe(0)
  })

  it('shows the action for the problem of a recording at 200% zoom', async () => {
    const page = await openAt200Percent('busy')
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await expectInSight(button(page, 'Correct the site'))
  })

  it('shows the action of an empty list at 200% zoom', async () => {
    const page = await openAt200Percent('empty')
    await openScreen(page, 'Recordings')
    await expectInSight(button(page, 'Show folders'))
  })

  it('shows every action of a selection at 200% zoom', async () => {
    const page = await openAt200Percent('busy')
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Control+a')
    const bar = page.getByRole('toolbar', { name: 'Selected recordings' })
    await bar.waitFor()
    const buttons = await bar.getByRole('button').all()
    expect(buttons.length).toBeGreaterThan(4)
    for (const actionButton of buttons) await expectInSight(actionButton)
  })

  it('shows the whole menu of a recording beside its name at 200% zoom', async () => {
    const page = await openAt200Percent('busy')
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('ArrowDown')
    await page.getByRole('grid').press('Shift+F10')
    const menu = page.getByRole('menu')
    await menu.waitFor()
    const [name, menuBox] = await Promise.all([
      page.locator('.row-active .cell-name-line .truncate').boundingBox(),
      menu.boundingBox(),
    ])
    expect((name?.x ?? Number.NaN) + (name?.width ?? 0)).toBeLessThanOrEqual(menuBox?.x ?? 0)
    const hiddenHeight = await menu.evaluate(({ parentElement }) =>
      parentElement === null ? 0 : parentElement.scrollHeight - parentElement.clientHeight,
    )
    expect(hiddenHeight).toBe(0)
  })
})
