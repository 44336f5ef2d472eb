import { expect, it } from 'vitest'
import type { Nights } from '../../../shared/status/night-figures.ts'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

describePage('the display of silence and nights', (open) => {
  const openSilent = () => open({ scene: 'silent', moving: false, at: MORNING })
  const SILENCE_SENTENCE = 'Hall 3 usually has 26 recordings by now; none since 18:00.'

  it('shows a silent folder with its evidence, and dismisses the silence for the night', async () => {
    const page = await openSilent()
    await page.getByText(SILENCE_SENTENCE).waitFor()
    await page.getByText('In the last 8 Wednesday nights it had 24 to 28 recordings by 08:42.').waitFor()
    await page.getByText('Silent since 18:00').waitFor()
    await page.getByRole('button', { name: 'Dismiss for last night' }).press('Enter')
    await page.getByText(SILENCE_SENTENCE).waitFor({ state: 'detached' })
    await page.getByText('Silent since 18:00').waitFor({ state: 'detached' })
    expect(await callArgs(page, 'dismissSilence')).toEqual([
      { path: '/data/recordings/hall-3', night: '2026-03-11' },
    ])
  })

  it('has one Tab stop for all nights; arrow keys, Home and End move between them', async () => {
    const page = await openSilent()
    const strip = page.getByRole('group', { name: 'Thirty nights' })
    const nights = strip.getByRole('button')
    await expect.poll(() => nights.count()).toBe(30)
    expect(await strip.locator('button:not([tabindex="-1"])').count()).toBe(1)
    await nights.last().focus()
    const readFocusedLabel = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    expect(await readFocusedLabel()).toBe('Last night: 9 recordings, 76.7 GB; 9 safe; 1 folder was silent')
    await page.keyboard.press('ArrowLeft')
    expect(await readFocusedLabel()).toMatch(/^Tue,? 10 Mar: \d+ recordings, .*; \d+ safe$/)
    await page
      .getByRole('tooltip')
      .getByText(/Tue,? 10 Mar/)
      .waitFor()
    await page.keyboard.press('Home')
    expect(await readFocusedLabel()).toMatch(/^Tue,? 10 Feb: /)
    await page.keyboard.press('ArrowLeft')
    expect(await readFocusedLabel()).toMatch(/^Tue,? 10 Feb: /)
    await page.keyboard.press('End')
    expect(await readFocusedLabel()).toMatch(/^Last night: /)
    expect(await strip.getByRole('button', { name: 'No data' }).count()).toBe(2)
  })

  it('lists only the recordings of a night after a press on its bar', async () => {
    const page = await openSilent()
    const strip = page.getByRole('group', { name: 'Thirty nights' })
    const night = strip.getByRole('button', { name: /need attention/ })
    const count = Number(/: (\d+) recordings/.exec((await night.getAttribute('aria-label')) ?? '')?.[1])
    expect(count).toBeGreaterThan(20)
    await night.press('Enter')
    await page.getByRole('grid', { name: `${count} recordings` }).waitFor()
    expect(await page.getByLabel('Evening of').inputValue()).toBe('2026-03-05')
  })

  it('shows seven nights on each folder’s card, and saves how a folder reports silence', async () => {
    const page = await openSilent()
    await openScreen(page, 'Folders')
    const hall = page.getByRole('listitem').filter({ hasText: '/data/recordings/hall-3' })
    await hall.getByText(/^\d+ recordings, [\d.]+ GB in seven nights, \d+ needs? attention$/).waitFor()
    await hall.getByRole('img', { name: /^Seven nights\. .*Last night: Nothing was recorded/ }).waitFor()
    await hall.getByText('Silent since 18:00').waitFor()
    await hall.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    const choices = dialog.getByRole('radiogroup', { name: 'If no recordings arrive' })
    expect(await choices.getByRole('radio', { name: 'Show on Overview' }).isChecked()).toBe(true)
    await choices.getByText('Raise an alarm').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const saved = (await callArgs(page, 'saveSettings')) as readonly {
      readonly folders: readonly { readonly silence: string }[]
    }[]
    expect(saved.at(-1)?.folders.map(({ silence }) => silence)).toEqual(['loud', 'gentle'])
  })

  it('shows the nights only after Sluice has watched for three nights', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const setWatchedNights = (count: number) =>
      page.evaluate(async (watchedNights) => {
        const answer = await window.station('getNights', undefined)
        if (!answer.ok) throw new Error(answer.error.message)
        const nights = answer.value as Nights
        const station = nights.station.map((night, index) => ({
          ...night,
          watched: index >= nights.station.length - watchedNights,
        }))
        Object.assign(window.sluice.call, {
          getNights: async () => ({ ok: true, value: { ...nights, station } }),
        })
      }, count)
    const strip = page.locator('.strip')
    const reopen = async () => {
      await openScreen(page, 'Folders')
      await openScreen(page, 'Overview')
    }
    await setWatchedNights(2)
    await reopen()
    await expect.poll(() => strip.count()).toBe(0)
    await setWatchedNights(3)
    await reopen()
    await page.getByRole('group', { name: 'Last 3 nights' }).getByRole('button').nth(2).waitFor()
  })

  it('reserves space for data that is loading, so that nothing moves when the data arrives', async () => {
    const page = await openSilent()
    const nights = page.getByRole('group', { name: 'Thirty nights' }).getByRole('button')
    const throughput = page.getByRole('radio', { name: '24 hours' })
    await page.evaluate(() => {
      const { getNights } = window.sluice.call
      const nightsReleased = new Promise<void>((resolve) => {
        Object.assign(window, { releaseNights: resolve })
      })
      Object.assign(window.sluice.call, { getNights: () => nightsReleased.then(() => getNights()) })
    })
    await openScreen(page, 'Folders')
    await openScreen(page, 'Overview')
    await page.getByText('Nothing uploaded in the last 10 minutes.').waitFor()
    expect(await nights.count()).toBe(0)
    const boxBefore = await throughput.boundingBox()
    await page.evaluate(() => (window as unknown as { releaseNights: () => void }).releaseNights())
    await expect.poll(() => nights.count()).toBe(30)
    expect(await throughput.boundingBox()).toEqual(boxBefore)
  })
})
