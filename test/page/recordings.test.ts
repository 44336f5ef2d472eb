import { expect, it } from 'vitest'
import { scrollThrough } from '../support/page-timing.ts'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { callArgs, describePage } from './with-page.ts'

describePage('the list of recordings', (open) => {
  it('opens with 100,000 rows, renders only visible ones, and scrolls to any', async () => {
    const page = await open({ scene: 'many', at: MORNING })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid', { name: '100,000 recordings' })
    // Headings and the header count as rows too.
    const nights = 71
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(100_000 + nights + 2))
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await scrollThrough(page)
    await page.locator(`#recording-row-99999[aria-rowindex="${100_000 + nights + 2}"]`).waitFor()
  })

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
    const places = await Promise.all([grid.boundingBox(), page.locator(`[id="${reachedId}"]`).boundingBox()])
    const [frame, row] = places.map((box) =>
      box === null ? null : { top: box.y, bottom: box.y + box.height },
    )
    expect(row?.top).toBeGreaterThanOrEqual(frame?.top ?? Number.NaN)
    expect(row?.bottom).toBeLessThanOrEqual(frame?.bottom ?? Number.NaN)
    await page.keyboard.press('Control+a')
    await page.getByText('42 selected').waitFor()
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByText('Trying 5 recordings again. 37 others not changed.').waitFor()
    const [args] = (await callArgs(page, 'retryRecordings')) as [{ ids: number[] }]
    expect(args.ids).toHaveLength(42)
  })

  it('shows one bar for each channel, and where it has a gap', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').focus()
    await page.keyboard.press('Home')
    const gap = page.getByRole('img', { name: '/camera/wrist: 9,000 messages · 30 Hz · longest gap 5 min' })
    for (let row = 0; row < 3; row += 1) {
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'In the file' }).waitFor()
      await page.getByRole('img', { name: '/imu: 120,000 messages · 200 Hz' }).waitFor()
      if ((await gap.count()) > 0) break
      await page.keyboard.press('ArrowDown')
    }
    expect(await gap.locator('path').getAttribute('d')).toBe('M0 0H20V6H0z')
  })

  it('shows that thousands of rows are being selected', async () => {
    const page = await open({ scene: 'many', rows: 5_000, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').focus()
    // Answers arrive in a later turn, like those of the agent. Otherwise no intermediate state would be visible.
    // Repeats rows with different IDs, because loading all real rows would take too long.
    await page.evaluate(async () => {
      const { listRecordings } = window.sluice.call
      type Query = NonNullable<Parameters<typeof listRecordings>[0]>
      let first: Awaited<ReturnType<typeof listRecordings>> | null = null
      const page = async (query: Query): Promise<unknown> => {
        first ??= await listRecordings(query)
        if (!first.ok) return first
        const { total, rows } = first.value
        const rowCount = Math.min(query.limit ?? rows.length, total - (query.offset ?? 0))
        const numbered = Array.from({ length: rowCount }, (_, n) => ({
          ...rows[n % rows.length],
          id: (query.offset ?? 0) + n + 1,
        }))
        return { ok: true, value: { total, rows: numbered } }
      }
      Object.assign(window.sluice.call, {
        listRecordings: (query: Query) =>
          new Promise((answer) => requestAnimationFrame(() => answer(page(query)))),
      })
    })
    const indicator = page.getByText('Selecting…').waitFor()
    await page.keyboard.press('Shift+End')
    await indicator
    await page.getByText('5,000 selected').waitFor()
    await page.getByText('Selecting…').waitFor({ state: 'detached' })
  })

  it('shows that more recordings match than are listed', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.evaluate(() => {
      const { listRecordings } = window.sluice.call
      type Query = NonNullable<Parameters<typeof listRecordings>[0]>
      Object.assign(window.sluice.call, {
        listRecordings: async (query: Query) => {
          const answer = await listRecordings(query)
          return answer.ok ? { ...answer, value: { ...answer.value, hasMore: true } } : answer
        },
      })
    })
    await page.keyboard.press('Control+f')
    await page.keyboard.type('track')
    await page.getByText('8+ recordings, newest 8 listed', { exact: true }).waitFor()
  })

  it('lets the journal search, filter and sort', async () => {
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

  it('shows the problem that the list is filtered by', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => window.scripted.navigate('recordings?problem=site-refused'))
    await page.getByText('Only recordings with site-refused').waitFor()
    await page.getByText('1 recording', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('42 recordings', { exact: true }).waitFor()
  })

  it('updates “today” after midnight', async () => {
    const evening = new Date('2026-03-12T21:30:00.000Z')
    const page = await open({ scene: 'busy', moving: false, at: evening, ownClock: true })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Found' }).first().click()
    await page.getByRole('option', { name: 'Today' }).click()
    const from = async () => ((await callArgs(page, 'listRecordings')).at(-1) as { from?: string }).from
    await expect.poll(from).toBe('2026-03-11T23:00:00.000Z')
    // The clock jumps, as after sleep, because playing two hours frame by frame takes half a minute.
    await page.clock.fastForward(2 * 3_600_000)
    await expect.poll(from).toBe('2026-03-12T23:00:00.000Z')
  })

  it('shows why the selection failed', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').focus()
    await page.evaluate(() =>
      window.scripted.failNext('listRecordings', {
        kind: 'agent-unavailable',
        message: 'The agent stopped.',
      }),
    )
    await page.keyboard.press('Control+a')
    await page.getByText('The agent stopped.').waitFor()
  })

  it('keeps showing that a recording is gone while it reloads', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => {
      let calls = 0
      Object.assign(window.sluice.call, {
        getRecording: () => {
          calls += 1
          if (calls === 1) return Promise.resolve({ ok: true, value: null })
          document.title = 'asked again'
          return new Promise(() => undefined)
        },
      })
      window.scripted.navigate('recordings/11')
    })
    await page.getByText('No longer in the journal').waitFor()
    await page.evaluate(() => window.scripted.changeStatus({}))
    await page.waitForFunction(() => document.title === 'asked again')
    expect(await page.getByText('No longer in the journal').isVisible()).toBe(true)
  })

  it('shows that nothing matches', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('No recording matches').waitFor()
  })

  it('shows progress that grows while uploading', async () => {
    const page = await open({ scene: 'busy' })
    await openScreen(page, 'Recordings')
    const bar = page.getByRole('progressbar').nth(1)
    const before = Number(await bar.getAttribute('aria-valuenow'))
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(before)
  })

  it('deletes at the service only after the typed word, and lists everything that will be deleted', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => window.scripted.navigate('recordings/15'))
    await page.getByRole('button', { name: 'Delete at the service…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('38 segments').waitFor()
    await dialog.getByText('This cannot be undone.', { exact: false }).waitFor()
    const act = dialog.getByRole('button', { name: 'Delete for good' })
    expect(await act.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('yes')
    await dialog.getByText('Type “delete”.').waitFor()
    expect(await act.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('delete')
    await act.click()
    await page.getByText('is deleted at the service.', { exact: false }).waitFor()
    expect(await callArgs(page, 'deleteSession')).toEqual([{ id: 'ses_8999986', typed: 'delete' }])
  })

  it('keeps the typed word and shows why the service refused to delete', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => {
      window.scripted.failNext('deleteSession', { kind: 'refused', message: 'The key may only read.' })
      window.scripted.navigate('recordings/15')
    })
    await page.getByRole('button', { name: 'Delete at the service…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('textbox').fill('delete')
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await dialog.getByText('The key may only read.').waitFor()
    expect(await dialog.getByRole('textbox').inputValue()).toBe('delete')
  })
})
