import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isInSight } from './harness.ts'
import { MORNING } from './morning.ts'
import { callArgs, describePage } from './with-page.ts'

const cards = (page: Page): Locator => page.getByRole('article')

describePage('the overview', (open) => {
  it('lists problems that need attention, sorted by who has to act', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const [group] = answer.value.problems
      if (group === undefined) throw new Error('the scene has no problem')
      const problem = {
        ...group.problem,
        code: 'empty-file' as const,
        owner: 'technician' as const,
        endsBy: 'file' as const,
      }
      await window.scripted.changeStatus({ problems: [...answer.value.problems, { ...group, problem }] })
    })
    const owners = page.locator('.attention .owner')
    await expect
      .poll(() => owners.allTextContents())
      .toEqual(['For you', 'For your administrator', 'For support'])
    // Each “For …” label has its own colour and icon, in both themes.
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      const appearances = await cards(page).evaluateAll((elements) =>
        elements.map((card) => [
          getComputedStyle(card).borderLeftColor,
          getComputedStyle(card.querySelector('.owner') ?? card).color,
          card.querySelector('.owner path')?.getAttribute('d') ?? '',
        ]),
      )
      for (const index of [0, 1, 2])
        expect(new Set(appearances.map((appearance) => appearance[index])).size).toBe(3)
    }
  })

  it('dismisses the recordings of a card, and Undo restores them', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const card = cards(page).filter({ hasText: 'processing failed' })
    await card.getByRole('button', { name: 'Dismiss' }).press('Enter')
    await card.waitFor({ state: 'detached' })
    // The focused button is gone, so the focus moves to the headline for keyboard users.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('screen-title')
    await page.getByText('1 recording dismissed.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await card.waitFor()
  })

  it('folds problems that need no attention into one line', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await expect.poll(() => cards(page).count()).toBe(2)
    const foldButton = page.getByRole('button', { name: 'Show 2 that will clear by themselves' })
    await foldButton.press('Enter')
    await expect.poll(() => cards(page).count()).toBe(4)
    expect(await page.locator('.attention-nobody').count()).toBe(2)
    await page.getByRole('button', { name: 'Hide 2 that will clear by themselves' }).press('Enter')
    await expect.poll(() => cards(page).count()).toBe(2)
  })

  it('does not promise that recordings of a removed folder continue, and does not offer to retry them', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING })
    await page.evaluate(async () => {
      const problem = {
        code: 'folder-removed' as const,
        owner: 'admin' as const,
        sentence: 'The folder was removed from the settings.',
        next: 'Nothing to do if that was intended.',
        endsBy: 'folder' as const,
        nextAt: null,
        requestId: null,
        param: null,
      }
      await window.scripted.changeStatus({ problems: [{ problem, count: 2, examples: [] }] })
    })
    await page.getByRole('button', { name: 'Show 1 that needs no attention' }).press('Enter')
    await cards(page).getByRole('button', { name: 'Show them' }).waitFor()
    await cards(page).getByRole('button', { name: 'More actions' }).press('Enter')
    const items = page.getByRole('menu').getByRole('menuitem')
    await expect.poll(() => items.allTextContents()).toEqual(['Copy for support'])
  })

  it('shows since when the service is unreachable, and offers to try now', async () => {
    const page = await open({ scene: 'offline', moving: false, at: MORNING })
    const card = cards(page).filter({ hasText: 'The service cannot be reached' })
    await card.getByText(/^Since \d\d:\d\d$/).waitFor()
    await card.getByRole('button', { name: 'Try now' }).press('Enter')
    await page.getByText('Trying to connect now.').waitFor()
    expect(await callArgs(page, 'reconnect')).toHaveLength(1)
  })

  it('shows in the sidebar that the key is missing', async () => {
    const page = await open({ scene: 'keyless', moving: false, at: MORNING })
    await page.getByRole('button', { name: 'Service & key ! Key missing' }).waitFor()
    await cards(page).getByRole('button', { name: 'Add the key' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Service & key' }).waitFor()
    const calmPage = await open({ scene: 'calm', moving: false, at: MORNING })
    await calmPage.getByRole('button', { name: 'Service & key', exact: true }).waitFor()
  })

  it('shows each upload with percent, speed and time left, and counts the recordings that wait or are being processed', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const now = page.getByRole('region', { name: 'Now' })
    const rows = now.getByRole('button')
    await expect.poll(() => rows.count()).toBe(3)
    for (const row of await rows.all())
      expect(await row.textContent()).toMatch(/\.mcap\d+ %\d+\.\d MB\/s · \d+ min left$/)
    await now.getByText('3 waiting · 3 being processed at the service').waitFor()
    await now.getByText(/^[\d.]+ MB\/s · 22\.8 GB left$/).waitFor()
    await rows.first().press('Enter')
    await page.getByRole('heading', { name: 'Stages' }).waitFor()
  })

  it('shows a pause as a card among the problems, with a button to resume', async () => {
    const page = await open({ scene: 'offline', moving: false, at: MORNING, width: 900, height: 600 })
    const card = cards(page).filter({
      hasText: 'You paused the uploads. Nothing uploads until you resume.',
    })
    await cards(page).first().waitFor()
    expect(await card.count()).toBe(0)
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      await window.scripted.changeStatus({ station: { ...answer.value.station, paused: true } })
    })
    await expect.poll(() => isInSight(card)).toBe(true)
    // Nobody has to act on a pause, so its card names no owner. The first card keeps the window's only filled button.
    expect(await card.locator('.owner').count()).toBe(0)
    expect(await page.locator('.button-primary').allTextContents()).toEqual(['Choose the folder again'])
    await card.getByRole('button', { name: 'Resume' }).press('Enter')
    await page.getByText('Uploads resumed.').waitFor()
    expect(await callArgs(page, 'resume')).toHaveLength(1)
  })

  it('shows the uploaded bytes of the recordings that are still on this PC', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.getByRole('button', { name: /on this PC [\d.]+ GB left [\d.]+ [MG]B uploaded/ }).waitFor()
  })

  it('offers to choose a missing folder again, and focuses its path', async () => {
    const page = await open({ scene: 'offline', moving: false, at: MORNING })
    const card = cards(page).filter({ hasText: 'Folder outdoor cannot be found.' })
    expect(await card.getByRole('button', { name: 'Show the folder' }).count()).toBe(0)
    await card.getByRole('button', { name: 'Choose the folder again' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change a watched folder' })
    await dialog.getByText('The folder cannot be found.').waitFor()
    await dialog.getByRole('button', { name: 'Choose…' }).waitFor()
    const field = dialog.getByRole('textbox', { name: 'Folder' }).first()
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await field.inputValue()).toMatch(/outdoor$/)
  })

  it('has no “Now” card if nothing uploads, waits or is being processed', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING })
    expect(await page.getByRole('region', { name: 'Now' }).count()).toBe(0)
  })
})
