import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const cell = (page: Page, name: string): Locator => page.getByRole('gridcell', { name, exact: false })

const centreOf = async (locator: Locator) => {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('not on the screen')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

const drag = async (page: Page, from: string, to: string): Promise<void> => {
  await cell(page, to).scrollIntoViewIfNeeded()
  const [start, end] = [await centreOf(cell(page, from)), await centreOf(cell(page, to))]
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(end.x, end.y, { steps: 4 })
  await page.mouse.up()
}

const selectBrush = (page: Page, name: string) => page.getByRole('radio', { name, exact: true }).click()

const save = async (page: Page): Promise<unknown> => {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.', { exact: false }).waitFor()
  const saved = (await callArgs(page, 'saveSettings')) as { transfer: { windows: unknown } }[]
  return saved.at(-1)?.transfer.windows
}

describePage('the upload hours as a week', (open) => {
  it('are filled by dragging, with or without a speed limit; the list shows the same hours', async () => {
    const page = await open({ scene: 'calm', moving: false, height: 1000 })
    await openScreen(page, 'Transfer')
    await selectBrush(page, 'Closed')
    await drag(page, 'Saturday 00:00', 'Sunday 23:00')
    await cell(page, 'Saturday 03:00 to 04:00, closed').waitFor()
    await selectBrush(page, 'Open with a limit')
    await page.getByLabel('Limit', { exact: true }).fill('20')
    await page.getByText('2.5 MB/s', { exact: true }).waitFor()
    await drag(page, 'Sunday 10:00', 'Sunday 11:00')
    await cell(page, 'Sunday 11:00 to 12:00, open, 20 Mbit/s').waitFor()
    await page.getByText('20 Mbit/s (2.5 MB/s)').waitFor()

    await page.getByRole('radio', { name: 'As a list' }).click()
    const fieldValues = async (label: string) =>
      Promise.all((await page.getByLabel(label).all()).map((field) => field.inputValue()))
    expect(await fieldValues('From')).toContain('10:00')
    expect(await fieldValues('Limit')).toContain('20')
    expect(await save(page)).toContainEqual({
      days: ['sun'],
      from: '10:00',
      to: '12:00',
      limit_mbit_per_s: 20,
    })
  })

  it('show and keep times that are not on the hour', async () => {
    const page = await open({ scene: 'calm', moving: false, height: 1000 })
    await openScreen(page, 'Transfer')
    await page.getByRole('radio', { name: 'As a list' }).click()
    await page.getByRole('button', { name: 'Remove upload hours 2' }).click()
    await page.getByLabel('From').fill('18:30')
    await page.getByRole('radio', { name: 'As a week' }).click()
    await cell(page, 'Tuesday 18:00 to 19:00, closed until 18:30, open from 18:30').waitFor()
    await selectBrush(page, 'Open')
    await drag(page, 'Sunday 12:00', 'Sunday 12:00')
    expect(await save(page)).toEqual([
      { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '18:30', to: '07:00' },
      { days: ['sun'], from: '12:00', to: '13:00' },
    ])
  })

  it('are filled and undone by keyboard alone', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING })
    await openScreen(page, 'Transfer')
    const firstCell = cell(page, 'Thursday 08:00 to 09:00, open, 250 Mbit/s')
    // The only Tab stop is the current hour.
    expect(await page.locator('[role=gridcell][tabindex="0"]').count()).toBe(1)
    await page.getByRole('radio', { name: 'Open', exact: true }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await expect.poll(() => firstCell.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    expect(await page.locator('[role=gridcell][aria-selected=true]').count()).toBe(4)
    await page.keyboard.press('Space')
    await cell(page, 'Friday 09:00 to 10:00, closed').waitFor()
    await cell(page, 'Thursday 08:00 to 09:00, closed').waitFor()
    await page.getByText('4 hours, Thursday to Friday, 08:00 to 10:00: closed.').waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await cell(page, 'Friday 23:00 to 24:00, closed').waitFor()

    await page.keyboard.press('Control+z')
    await cell(page, 'Friday 23:00 to 24:00, open').waitFor()
    await cell(page, 'Friday 09:00 to 10:00, closed').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await firstCell.waitFor()
    await page.getByText('No changes').waitFor()
  })

  it('are discarded with the rest of the form', async () => {
    const page = await open({ scene: 'calm', moving: false, height: 1000 })
    await openScreen(page, 'Transfer')
    await selectBrush(page, 'Closed')
    await drag(page, 'Monday 08:00', 'Monday 09:00')
    await cell(page, 'Monday 08:00 to 09:00, closed').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await cell(page, 'Monday 08:00 to 09:00, open, 250 Mbit/s').waitFor()
  })

  it('cannot all be closed, and cannot be filled while the list has an invalid time', async () => {
    const page = await open({ scene: 'calm', moving: false, height: 1000 })
    await openScreen(page, 'Transfer')
    await selectBrush(page, 'Closed')
    await drag(page, 'Monday 00:00', 'Sunday 23:00')
    await page.getByText('nothing would be uploaded', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('radio', { name: 'As a list' }).click()
    await page.getByLabel('From').first().fill('18:')
    await page.getByRole('radio', { name: 'As a week' }).click()
    await page.getByText('in the list is not valid', { exact: false }).waitFor()
    expect(await page.getByRole('grid').count()).toBe(0)
  })

  it('use the first weekday and the hour format of the locale', async () => {
    const page = await open({ scene: 'calm', moving: false, height: 1000, locale: 'en-US' })
    await openScreen(page, 'Transfer')
    await page.getByRole('rowheader').first().filter({ hasText: 'Sunday' }).waitFor()
    await page.getByRole('columnheader', { name: '9\u00a0PM', exact: true }).waitFor()
    await selectBrush(page, 'Closed')
    // The drag covers Sunday to Tuesday, although Sunday is the last day in the settings.
    await drag(page, 'Sunday 6:00\u00a0PM', 'Tuesday 7:00\u00a0PM')
    await cell(page, 'Monday 7:00\u00a0PM to 8:00\u00a0PM, closed').waitFor()
    await cell(page, 'Sunday 6:00\u00a0PM to 7:00\u00a0PM, closed').waitFor()
    await cell(page, 'Wednesday 6:00\u00a0PM to 7:00\u00a0PM, open').waitFor()
    await cell(page, 'Sunday 6:00\u00a0PM').focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toContain('Monday')
  })
})
