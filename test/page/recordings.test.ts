import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { callArgs, describePage } from './with-page.ts'

describePage('the list of recordings', (open) => {
  it('works by keyboard alone', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await grid.getAttribute('aria-activedescendant')).toBe('recording-row-2')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Stages' }).waitFor()
    await page.getByRole('button', { name: 'Close details' }).focus()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Stages' }).waitFor({ state: 'detached' })
    expect(await grid.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Home')
    expect(await grid.getAttribute('aria-activedescendant')).toBe('recording-row-0')
    await page.keyboard.press('PageDown')
    const reachedId = (await grid.getAttribute('aria-activedescendant')) ?? ''
    expect(Number(reachedId.replace('recording-row-', ''))).toBeGreaterThan(3)
    const boxes = await Promise.all([grid.boundingBox(), page.locator(`[id="${reachedId}"]`).boundingBox()])
    const [frame, row] = boxes.map((box) =>
      box === null ? null : { top: box.y, bottom: box.y + box.height },
    )
    expect(row?.top).toBeGreaterThanOrEqual(frame?.top ?? Number.NaN)
    expect(row?.bottom).toBeLessThanOrEqual(frame?.bottom ?? Number.NaN)
    await page.keyboard.press('Control+a')
    await page.getByText('42 selected').waitFor()
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByText('Trying 5 recordings again. The other 37 stay unchanged.').waitFor()
    const [args] = (await callArgs(page, 'retryRecordings')) as [{ ids: number[] }]
    expect(args.ids).toHaveLength(42)
  })

  it('searches, filters and sorts in the journal', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('track')
    await page.getByText('8 recordings', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Needs attention 1' }).click()
    await page.getByText('1 recording', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('42 recordings', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Size' }).click()
    await page
      .getByRole('columnheader', { name: 'Size' })
      .and(page.locator('[aria-sort="descending"]'))
      .waitFor()
    await expect
      .poll(async () => (await callArgs(page, 'listRecordings')).at(-1))
      .toMatchObject({ sort: 'bytes', descending: true, offset: 0 })
  })

  it('names the problem that filters the list', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => window.scripted.navigate('recordings?problem=site-refused'))
    await page.getByText('Only recordings with site-refused').waitFor()
    await page.getByText('1 recording', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('42 recordings', { exact: true }).waitFor()
  })

  it('shows growing progress while a recording uploads', async () => {
    const page = await open({ scene: 'busy' })
    await openScreen(page, 'Recordings')
    const bar = page.getByRole('progressbar').nth(1)
    const percentBefore = Number(await bar.getAttribute('aria-valuenow'))
    await expect
      .poll(async () => Number(await bar.getAttribute('aria-valuenow')))
      .toBeGreaterThan(percentBefore)
  })

  it('lists everything that will be deleted at the service, and deletes only after the user has typed “delete”', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => window.scripted.navigate('recordings/15'))
    await page.getByRole('button', { name: 'Delete at the service…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('38 segments').waitFor()
    await dialog.getByText('This cannot be undone.', { exact: false }).waitFor()
    const deleteButton = dialog.getByRole('button', { name: 'Delete for good' })
    expect(await deleteButton.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('yes')
    await dialog.getByText('Type “delete”.').waitFor()
    expect(await deleteButton.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('delete')
    await deleteButton.click()
    await page.getByText('is deleted at the service.', { exact: false }).waitFor()
    expect(await callArgs(page, 'deleteSession')).toEqual([{ id: 'ses_8999986', typed: 'delete' }])
  })
})
