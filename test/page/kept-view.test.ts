import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { asked, describePage } from './with-page.ts'

/** As the main process asks a page that nobody has seen for ten minutes; what it says, or null where it does not. */
const rest = async (page: Page): Promise<string | null> => {
  await page.evaluate(() => window.scripted.rest())
  const said = (await asked(page, 'keepView')) as { view: string }[]
  return said.at(-1)?.view ?? null
}

/** Whatever was asked before is answered and on the screen. */
const drawn = (page: Page) =>
  page.evaluate(async () => {
    await window.station('getStatus', null)
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })

const scrollTo = (page: Page, top: number) =>
  page.getByRole('grid').evaluate((grid, to) => {
    grid.scrollTop = to
  }, top)

const scrollOf = (page: Page) => page.getByRole('grid').evaluate((grid) => grid.scrollTop)

describePage('a page that was let go', (open) => {
  it('comes back on the same screen, with its filter, its open row and as far down', async () => {
    const before = await open({ scene: 'busy', moving: false, height: 480, at: MORNING })
    await expect.poll(() => asked(before, 'pageDrawn')).toHaveLength(1)
    await openScreen(before, 'Recordings')
    await before.getByRole('searchbox').fill('.')
    // A list that was searched begins at its top: it is scrolled once that has come.
    await expect
      .poll(async () => JSON.stringify(await asked(before, 'listRecordings')))
      .toContain('"text":"."')
    await drawn(before)
    await scrollTo(before, 900)
    // Its rows are those of where it stands now.
    await drawn(before)
    const row = before.getByRole('row').nth(8)
    await row.click()
    const title = await before.getByRole('complementary').getByRole('heading', { level: 2 }).textContent()
    // The click brings its row into sight; the person goes on to others, and the row stays open.
    await expect.poll(() => asked(before, 'locateRecording')).toHaveLength(1)
    await drawn(before)
    await scrollTo(before, 120)
    await drawn(before)
    const top = await scrollOf(before)
    expect(top).toBe(120)
    const view = await rest(before)
    expect(view).not.toBeNull()

    const after = await open({ scene: 'busy', moving: false, height: 480, at: MORNING, view: view! })
    await after.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor()
    expect(await after.getByRole('searchbox').inputValue()).toBe('.')
    await after.getByRole('complementary').getByRole('heading', { level: 2, name: title! }).waitFor()
    await expect.poll(() => asked(after, 'locateRecording')).toHaveLength(1)
    await drawn(after)
    await expect.poll(() => scrollOf(after)).toBe(top)
    // Gone elsewhere and back, the list begins as it always does.
    await openScreen(after, 'Overview')
    await openScreen(after, 'Recordings')
    expect(await after.getByRole('searchbox').inputValue()).toBe('')
  })

  it('stays while something is typed, selected or open that would be lost', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Transfer')
    await page.getByRole('textbox', { name: 'Recordings at once' }).fill('7')
    expect(await rest(page)).toBeNull()
    // A draft outlives a look at another screen, and so does the page.
    await openScreen(page, 'Overview')
    expect(await rest(page)).toBeNull()
    await openScreen(page, 'Transfer')
    await page.getByRole('button', { name: 'Discard' }).click()
    await openScreen(page, 'Recordings')
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
    await page.getByRole('button', { name: 'Clear', exact: true }).waitFor()
    expect(await rest(page)).toBeNull()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('button', { name: 'Clear', exact: true }).waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await rest(page)).toBeNull()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await rest(page)).not.toBeNull()
  })

  it('stays while a key is typed into it', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    expect(await rest(page)).toBeNull()
  })
})
