import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { describePage } from '../../page/with-page.ts'

/** The texts of the buttons, fields, links and grid cells that the notice covers. */
const coveredControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const notice = document.querySelector('.notice')
    if (notice === null) throw new Error('no notice is shown')
    const noticeBox = notice.getBoundingClientRect()
    const isVisible = (element: Element, x: number, y: number) =>
      document.elementsFromPoint(x, y).some((hit) => hit === element || element.contains(hit))
    return [...document.querySelectorAll('button, input, textarea, a, [role="gridcell"]')]
      .filter((element) => !notice.contains(element))
      .filter((element) => {
        const box = element.getBoundingClientRect()
        const [left, right] = [Math.max(box.left, noticeBox.left), Math.min(box.right, noticeBox.right)]
        const [top, bottom] = [Math.max(box.top, noticeBox.top), Math.min(box.bottom, noticeBox.bottom)]
        return right > left && bottom > top && isVisible(element, (left + right) / 2, (top + bottom) / 2)
      })
      .map((element) => element.textContent ?? '')
  })

describePage('a notice', (open) => {
  it.each([
    [1120, 760],
    [560, 380],
  ])('at %i × %i covers no control of a form, of the list or of the details', async (width, height) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width, height })
    await openScreen(page, 'Transfer')
    await page.getByRole('gridcell', { name: 'Saturday 09:00' }).focus()
    await page.keyboard.press('Space')
    await page.getByText('Not saved').waitFor()
    await page.getByRole('button', { name: 'Pause uploads' }).press('Enter')
    await page.getByRole('menuitem', { name: 'For 1 hour' }).press('Enter')
    await page.getByText('Uploads paused.', { exact: false }).waitFor()
    await expect.poll(() => coveredControls(page)).toEqual([])
    await page.evaluate(() => window.scripted.navigate('recordings/3'))
    await page.getByRole('heading', { name: 'Stages' }).waitFor()
    await page.locator('.side-pane-body').evaluate((body) => body.scrollTo(0, body.scrollHeight))
    await page.getByText('Uploads paused.', { exact: false }).waitFor()
    await expect.poll(() => coveredControls(page)).toEqual([])
  })
})
