import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { completionRequestId } from './scripted/night.ts'
import { callArgs, describePage } from './with-page.ts'

const list = (page: Page) => page.getByRole('region', { name: 'Activity, newest first' })
const rows = (page: Page) => page.getByRole('listitem')
const segment = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })

describePage('activity', (open) => {
  it('lists entries newest first by day, and opens the recording of an entry', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Activity')
    await list(page).getByRole('heading', { name: 'Today' }).waitFor()
    const times = await list(page)
      .locator('time')
      .evaluateAll((elements) => elements.map((element) => element.getAttribute('datetime')))
    expect(times.length).toBeGreaterThan(5)
    expect(times).toEqual(times.toSorted().reverse())
    await list(page)
      .getByRole('button', { name: /^Found hall3_/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'Stages' }).waitFor()
  })

  it('filters entries by kind and by words, and says so if no entry matches', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Activity')
    await segment(page, 'Settings').click()
    await page.getByText('Settings changed: upload hours, speed limit.').waitFor()
    expect(await page.getByText('Found hall3').count()).toBe(0)
    await segment(page, 'Trouble').click()
    await page.getByText('Service back after 39 min.').waitFor()
    await segment(page, 'All').click()
    await page.getByRole('searchbox', { name: 'Search the activity' }).fill('KEY was')
    await page.getByText('The API key was changed.').waitFor()
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.getByRole('searchbox', { name: 'Search the activity' }).fill('nothing has these words')
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('Found hall3').first().waitFor()
  })

  it('copies a request ID', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openScreen(page, 'Activity')
    const row = rows(page).filter({ hasText: 'Uploaded ' }).first()
    const id = await row.locator('code').innerText()
    expect(id).toMatch(/^req_/)
    await row.getByRole('button', { name: 'Copy request ID' }).click()
    await row.getByRole('button', { name: 'request ID copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
  })

  it('loads older entries while the user scrolls by keyboard, and renders only visible entries', async () => {
    const page = await open({ scene: 'many', rows: 5_000, moving: false, at: MORNING })
    await openScreen(page, 'Activity')
    await list(page).focus()
    const readOlderRequests = async () =>
      (await callArgs(page, 'listActivity')).filter(
        (args) => (args as { before: string | null }).before !== null,
      )
    await list(page)
      .getByText(/^Found /)
      .first()
      .waitFor()
    // Each press scrolls to the end of the loaded entries.
    const pressEnd = async () => {
      await page.keyboard.press('End')
      return (await readOlderRequests()).length
    }
    await expect.poll(pressEnd).toBeGreaterThanOrEqual(3)
    expect(await rows(page).count()).toBeLessThan(60)
  })

  it('shows an empty list at a new station', async () => {
    const page = await open({ scene: 'empty', moving: false })
    await openScreen(page, 'Activity')
    await page.getByText('Nothing has happened yet').waitFor()
  })
})

describePage('the technical log', (open) => {
  const openLog = async (page: Page) => {
    await openScreen(page, 'Activity')
    await segment(page, 'Technical log').click()
    await page.getByText('recording=').first().waitFor()
  }

  it('filters lines by level and by words', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openLog(page)
    await segment(page, 'Errors').click()
    await page.getByText('agent exited with code 1').first().waitFor()
    expect(await page.getByText('recording=').count()).toBe(0)
    await segment(page, 'All').click()
    await page.getByRole('searchbox', { name: 'Search the log' }).fill(completionRequestId(8))
    await page.getByText(`request=${completionRequestId(8)}`).waitFor()
    await expect.poll(() => page.getByText('request=').count()).toBe(1)
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('no line has this')
    await page.getByText('No line matches').waitFor()
  })

  it('loads older lines after a failure, even if the user does not scroll again', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openLog(page)
    await page.evaluate(() => {
      const { listLogLines } = window.sluice.call
      let hasFailed = false
      Object.assign(window.sluice.call, {
        listLogLines: async (query: Parameters<typeof listLogLines>[0]) => {
          if (query?.older == null || hasFailed) return listLogLines(query)
          hasFailed = true
          return { ok: false, error: { kind: 'agent-unavailable', message: 'The agent is starting.' } }
        },
      })
    })
    const region = page.getByRole('region', { name: 'Log lines, newest first' })
    const readHeight = () => region.evaluate((element) => element.scrollHeight)
    const heightBefore = await readHeight()
    await region.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect.poll(readHeight).toBeGreaterThan(heightBefore + 1_000)
  })

  it('shows that it lists only the newest lines, if there are too many', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Activity')
    await page.evaluate(() => {
      const line = { at: new Date().toISOString(), level: 'info', source: 'agent', text: 'recording=1' }
      const page = { lines: Array.from({ length: 20_000 }, () => line), older: '1' }
      Object.assign(window.sluice.call, { listLogLines: async () => ({ ok: true, value: page }) })
    })
    await segment(page, 'Technical log').click()
    await page.getByText('Only the newest 20,000 lines. Search for words to find older ones.').waitFor()
  })

  it('copies one line or all shown lines, and opens the log folder', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openLog(page)
    const readClipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy this line' }).first().click()
    await page.getByRole('button', { name: 'Line copied' }).waitFor()
    expect(await readClipboard()).toMatch(/^2026-\S+Z info agent .* recording=\d+( request=req_\w+)?$/)
    await page.getByRole('button', { name: 'Copy lines' }).click()
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
    const lines = (await readClipboard()).split('\n')
    expect(lines.length).toBeGreaterThanOrEqual(200)
    expect(lines).toEqual(lines.toSorted())
    await page.getByRole('button', { name: 'Open folder' }).click()
    await expect.poll(() => callArgs(page, 'openFolder')).toEqual([{ which: 'logs' }])
  })
})
