import { expect, it } from 'vitest'
import { openRecording } from './open-recording.ts'
import { callArgs, describePage } from './with-page.ts'

describePage('a recording on hold', (open) => {
  it('shows its state, the start of the hold and the time of the next check, and “Try now” retries at once', async () => {
    const page = await open({ scene: 'busy', moving: false, at: new Date('2026-03-12T07:42:00.000Z') })
    const pane = await openRecording(page, 5)
    await pane.getByText('Waiting', { exact: true }).first().waitFor()
    await pane.getByRole('progressbar').waitFor()
    const card = pane.getByRole('article')
    await card
      .getByText('On hold since today 08:05. Sluice checks again at 08:46.', { exact: false })
      .waitFor()
    expect(await card.getAttribute('class')).toContain('problem-calm')
    expect(await pane.getByRole('button', { name: 'Dismiss' }).count()).toBe(0)
    await pane.getByRole('button', { name: 'Try now' }).press('Enter')
    await page.getByText('Trying 1 recording again.').waitFor()
    expect(await callArgs(page, 'retryRecordings')).toEqual([{ ids: [5] }])
  })
})

describePage('several conditions of the station', (open) => {
  it('have one card each, the most serious first and those that clear by themselves last', async () => {
    const page = await open({ scene: 'conditions', moving: false })
    await page.getByRole('heading', { level: 1, name: 'Key refused' }).waitFor()
    const cards = page.getByRole('article')
    expect(await cards.locator('.attention-title').allTextContents()).toEqual([
      'The service rejects the API key: it is wrong or has been revoked.',
      'This PC’s clock is wrong.',
      'The service’s storage cannot be reached.',
    ])
    const areCalm = await cards.evaluateAll((elements) =>
      elements.map((card) => card.classList.contains('attention-nobody')),
    )
    expect(areCalm).toEqual([false, false, true])
    await cards.nth(2).getByText('Sluice checks again', { exact: false }).waitFor()
    expect(await page.getByText('This PC’s clock is', { exact: false }).count()).toBe(1)
    await cards.first().getByRole('button', { name: 'Change the key' }).waitFor()
    // The menu shows the code, which the troubleshooting guide explains.
    await cards.first().getByRole('button', { name: 'More actions' }).press('Enter')
    await page.getByRole('menu').getByText('key-refused').waitFor()
  })
})
