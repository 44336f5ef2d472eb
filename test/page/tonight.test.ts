import { expect, it } from 'vitest'
import { MORNING } from './morning.ts'
import { describePage } from './with-page.ts'

describePage('the overview of uploads and drives', (open) => {
  it('shows the same end time in the card, the headline and the status bar', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const card = page.getByRole('region', { name: 'Time left' })
    const time = /About (\d\d:\d\d)/.exec((await card.textContent()) ?? '')?.[1]
    expect(time).toBeDefined()
    expect(await page.locator('.headline').textContent()).toContain(`done about ${time}`)
    const bar = (await page.locator('.statusbar').textContent()) ?? ''
    expect(bar).toContain(`to upload, done about ${time}`)
    // The bar and the card show the same bytes.
    const bytesLeft = /([\d.]+ [kMGT]B) to upload/.exec(bar)?.[1]
    expect(await card.textContent()).toContain(`${bytesLeft} left.`)
    expect(await card.textContent()).toMatch(/About \d\d:\d\d · \d+ min left/)
  })

  it('lists only the recordings at risk after a press on their button', async () => {
    const page = await open({ scene: 'short-of-space', moving: false, at: MORNING })
    const card = page.getByRole('region', { name: 'Time left' })
    await card.getByText('Not done by 09:00').waitFor()
    const button = card.getByRole('button', { name: /^Show the \d+ recordings at risk$/ })
    const count = Number(/\d+/.exec((await button.textContent()) ?? '')?.[0])
    expect(count).toBeGreaterThan(1)
    await button.press('Enter')
    await page.getByRole('grid', { name: `${count} recordings` }).waitFor()
    await page.getByText('Only recordings at risk').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('Only recordings at risk').waitFor({ state: 'detached' })
  })

  it('without a forecast, shows why uploads wait, that nothing waits, or that a drive does not respond', async () => {
    const offlinePage = await open({ scene: 'offline', moving: false, at: MORNING })
    const offlineCard = offlinePage.getByRole('region', { name: 'Time left' })
    await offlineCard.getByText('Unknown', { exact: true }).waitFor()
    await offlineCard.getByText(/^Service unreachable\. [\d.]+ GB to upload\.$/).waitFor()
    const pausedPage = await open({ scene: 'paused', moving: false, at: MORNING })
    await pausedPage
      .getByRole('region', { name: 'Time left' })
      .getByText(/^Paused\. [\d.]+ GB to upload when uploads resume\.$/)
      .waitFor()
    const conditionsPage = await open({ scene: 'conditions', moving: false, at: MORNING })
    await conditionsPage.getByRole('region', { name: 'Disk space' }).getByText('Not responding').waitFor()
    const calmPage = await open({ scene: 'calm', moving: false, at: MORNING })
    const card = calmPage.getByRole('region', { name: 'Time left' })
    await card.getByText('Nothing to upload', { exact: true }).waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
  })

  it('shows which memory cards can be unplugged, and why the rest cannot', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const card = page.getByRole('region', { name: 'Cards and drives' })
    // This scene has no removable drive, so the page does not show “Cards and drives”.
    expect(await card.count()).toBe(0)
    await page.evaluate(() => {
      const drive = { folders: [], removable: true, dismissed: 0 }
      return window.scripted.changeStatus({
        drives: [
          { ...drive, name: 'CARD-04', safeToUnplug: true, files: 38, reasons: [] },
          {
            ...drive,
            name: 'CARD-05',
            safeToUnplug: false,
            files: 12,
            reasons: [
              { kind: 'needs-attention', count: 1 },
              { kind: 'uploading', count: 2 },
            ],
          },
        ],
      })
    })
    await expect
      .poll(() => card.getByRole('listitem').allTextContents())
      .toEqual([
        'CARD-04 safe to unplugall 38 files processed',
        'CARD-05 not safe to unplug1 needs attention · 2 uploading',
      ])
  })

  it('shows a card for a drive that will be full, with a link to the safe recordings', async () => {
    const page = await open({ scene: 'short-of-space', moving: false, at: MORNING, width: 900, height: 600 })
    const card = page.getByRole('article').filter({ hasText: '/data will be full about 09:00.' })
    await card.getByText('For you').waitFor()
    await card.getByText(/Free up space, or recordings may be lost\. [\d.]+ GB is safe/).waitFor()
    await card.getByRole('button', { name: 'Show safe recordings' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor()
  })

  it('shows each drive with its free space, forecast and safe bytes', async () => {
    const page = await open({ scene: 'short-of-space', moving: false, at: MORNING })
    const diskSpace = page.getByRole('region', { name: 'Disk space' })
    await diskSpace.getByText('/data', { exact: true }).waitFor()
    const text = (await diskSpace.textContent()) ?? ''
    expect(text).toMatch(/9\.0 GB free/)
    expect(text).toMatch(/Full (about \d\d:\d\d|in about \d+ nights?) if nothing is deleted\./)
    expect(text).toMatch(/[\d.]+\sGB is safe at the service and can be freed up\./)
  })
})
