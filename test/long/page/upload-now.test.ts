import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

/** The upload hours of the scene are from 18:00 to 09:00, so Sluice does not upload at noon. */
const noonOptions = {
  scene: 'short-of-space',
  moving: false,
  at: new Date('2026-03-12T11:00:00.000Z'),
} as const

describePage('Upload now anyway', (open) => {
  it('lets the whole station upload until the upload hours begin, and can be undone', async () => {
    const page = await open(noonOptions)
    const headline = page.locator('.headline')
    await headline.getByText(/Upload\shours\sstart\stoday\s18:00/).waitFor()
    await page.getByRole('button', { name: 'Upload now anyway' }).press('Enter')
    await headline
      .getByText(/Uploading outside the upload hours until 18:00|Upload\shours\signored\suntil\s18:00/)
      .waitFor()
    await page
      .getByRole('status')
      .getByText('Uploading outside the upload hours until today 18:00.')
      .waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Upload now anyway' }).waitFor()
    await page.getByRole('button', { name: 'Upload now anyway' }).press('Enter')
    await page.getByRole('button', { name: 'Wait for upload hours' }).press('Enter')
    await page.getByRole('button', { name: 'Upload now anyway' }).waitFor()
    expect(await callArgs(page, 'cancelUploadNow')).toEqual([{ id: null }, { id: null }])
  })

  it('starts from the menu of a recording, and stops from its details', async () => {
    const page = await open(noonOptions)
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: /^Waiting \d/ }).press('Enter')
    const grid = page.getByRole('grid')
    await grid.press('ArrowDown')
    await grid.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Upload now anyway' }).press('Enter')
    await expect.poll(() => callArgs(page, 'uploadNow')).toHaveLength(1)
    await page.getByText('Uploading outside the upload hours until today 18:00.').waitFor()
    await grid.press('Enter')
    await page.getByRole('button', { name: 'Wait for upload hours' }).press('Enter')
    await page.getByRole('button', { name: 'Upload now anyway' }).waitFor()
  })

  it('is not offered inside the upload hours', async () => {
    const page = await open({ scene: 'short-of-space', moving: false, at: MORNING })
    await page.getByRole('region', { name: 'Time left' }).waitFor()
    expect(await page.getByRole('button', { name: 'Upload now anyway' }).count()).toBe(0)
  })
})
