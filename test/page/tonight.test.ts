import { expect, it } from 'vitest'
import { MORNING } from './morning.ts'
import { describePage } from './with-page.ts'

describePage('time left and disk space', (open) => {
  it('shows the same time in the card, the headline and the status bar', async () => {
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

  it('links to exactly the recordings at risk, also by keyboard', async () => {
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

  it('shows why uploads wait if there is no forecast, and one sentence if nothing waits', async () => {
    const offline = await open({ scene: 'offline', moving: false, at: MORNING })
    const left = offline.getByRole('region', { name: 'Time left' })
    await left.getByText('Unknown', { exact: true }).waitFor()
    await left.getByText(/^Service unreachable\. [\d.]+ GB to upload\.$/).waitFor()
    const paused = await open({ scene: 'paused', moving: false, at: MORNING })
    await paused
      .getByRole('region', { name: 'Time left' })
      .getByText(/^Paused\. [\d.]+ GB to upload when uploads resume\.$/)
      .waitFor()
    const conditions = await open({ scene: 'conditions', moving: false, at: MORNING })
    await conditions.getByRole('region', { name: 'Disk space' }).getByText('Not responding').waitFor()
    const calm = await open({ scene: 'calm', moving: false, at: MORNING })
    const card = calm.getByRole('region', { name: 'Time left' })
    await card.getByText('Nothing to upload', { exact: true }).waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
  })

  it('shows which cards can be unplugged, and why others cannot', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const card = page.getByRole('region', { name: 'Cards and drives' })
    // A built-in disk is never unplugged.
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
