import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isInSight, openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { describePage } from './with-page.ts'

const holdsInSight = (locator: Locator) => expect.poll(() => isInSight(locator)).toBe(true)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

describePage('actions stay visible', (open) => {
  const atTwice = (scene: 'busy' | 'empty') =>
    open({ scene, moving: false, at: MORNING, width: 560, height: 380 })

  it('shows Save next to a changed field', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Transfer')
    await page.getByRole('radio', { name: 'Closed' }).click()
    await page.getByRole('gridcell', { name: 'Saturday 09:00' }).focus()
    await page.keyboard.press('Space')
    await holdsInSight(page.getByText('Not saved'))
    await holdsInSight(button(page, 'Save'))
  })

  it('at 200% of a wide window: the actions of a card beside its words, so that several cards fit', async () => {
    const page = await open({ scene: 'conditions', moving: false, at: MORNING, width: 720, height: 450 })
    const cards = await page.locator('.attention').all()
    expect(cards.length).toBeGreaterThan(2)
    for (const card of cards) {
      const words = await card.locator('.attention-next').boundingBox()
      const action = await card.getByRole('button').first().boundingBox()
      expect(action?.y ?? Number.NaN).toBeLessThan((words?.y ?? 0) + (words?.height ?? 0))
    }
    for (const card of cards.slice(0, 2)) await holdsInSight(card.getByRole('button').first())
  })

  it('at 200%: the actions of a recording next to its problem', async () => {
    const page = await atTwice('busy')
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await holdsInSight(button(page, 'Correct the site'))
  })

  it('at 200%: the action of an empty list', async () => {
    const page = await atTwice('empty')
    await openScreen(page, 'Recordings')
    await holdsInSight(button(page, 'Show folders'))
  })

  it('at 200%: every action of a selection', async () => {
    const page = await atTwice('busy')
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Control+a')
    const bar = page.getByRole('toolbar', { name: 'Selected recordings' })
    await bar.waitFor()
    const acts = await bar.getByRole('button').all()
    expect(acts.length).toBeGreaterThan(4)
    for (const act of acts) await holdsInSight(act)
  })

  it('at 200%: the whole menu of a recording, and its name', async () => {
    const page = await atTwice('busy')
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('ArrowDown')
    await page.getByRole('grid').press('Shift+F10')
    const menu = page.getByRole('menu')
    await menu.waitFor()
    const [name, over] = await Promise.all([
      page.locator('.row-active .cell-name-line .truncate').boundingBox(),
      menu.boundingBox(),
    ])
    expect((name?.x ?? Number.NaN) + (name?.width ?? 0)).toBeLessThanOrEqual(over?.x ?? 0)
    const cut = await menu.evaluate(({ parentElement }) =>
      parentElement === null ? 0 : parentElement.scrollHeight - parentElement.clientHeight,
    )
    expect(cut).toBe(0)
  })
})
