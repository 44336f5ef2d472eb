import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

describePage('the list of recordings', (open) => {
  it('shows a bar with the gaps of each channel in the details', async () => {
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
    // The answers arrive in a later frame, so that the progress is visible. They repeat the same rows with different
    // IDs, because loading all real rows would take too long.
    await page.evaluate(async () => {
      const { listRecordings } = window.sluice.call
      type Query = NonNullable<Parameters<typeof listRecordings>[0]>
      let firstAnswer: Awaited<ReturnType<typeof listRecordings>> | null = null
      const listRepeatedRows = async (query: Query): Promise<unknown> => {
        firstAnswer ??= await listRecordings(query)
        if (!firstAnswer.ok) return firstAnswer
        const { total, rows } = firstAnswer.value
        const rowCount = Math.min(query.limit ?? rows.length, total - (query.offset ?? 0))
        const numberedRows = Array.from({ length: rowCount }, (_, n) => ({
          ...rows[n % rows.length],
          id: (query.offset ?? 0) + n + 1,
        }))
        return { ok: true, value: { total, rows: numberedRows } }
      }
      Object.assign(window.sluice.call, {
        listRecordings: (query: Query) =>
          new Promise((answer) => requestAnimationFrame(() => answer(listRepeatedRows(query)))),
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

  it('updates “today” after midnight', async () => {
    const evening = new Date('2026-03-12T21:30:00.000Z')
    const page = await open({ scene: 'busy', moving: false, at: evening, ownClock: true })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Found' }).first().click()
    await page.getByRole('option', { name: 'Today' }).click()
    const readFrom = async () => ((await callArgs(page, 'listRecordings')).at(-1) as { from?: string }).from
    await expect.poll(readFrom).toBe('2026-03-11T23:00:00.000Z')
    // The clock jumps, because playing two hours frame by frame takes half a minute.
    await page.clock.fastForward(2 * 3_600_000)
    await expect.poll(readFrom).toBe('2026-03-12T23:00:00.000Z')
  })

  it('shows why the selection failed', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').focus()
    // The list may reload before the key press and use up the simulated failure, so the test repeats both.
    await expect
      .poll(async () => {
        await page.evaluate(() =>
          window.scripted.failNext('listRecordings', {
            kind: 'agent-unavailable',
            message: 'The agent stopped.',
          }),
        )
        await page.getByRole('grid').focus()
        await page.keyboard.press('Control+a')
        return page.getByText('The agent stopped.').isVisible()
      })
      .toBe(true)
  })

  it('keeps showing that a recording is gone while the details reload', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => {
      let calls = 0
      Object.assign(window.sluice.call, {
        getRecording: () => {
          calls += 1
          if (calls === 1) return Promise.resolve({ ok: true, value: null })
          document.title = 'second call'
          return new Promise(() => undefined)
        },
      })
      window.scripted.navigate('recordings/11')
    })
    await page.getByText('No longer in the journal').waitFor()
    await page.evaluate(() => window.scripted.changeStatus({}))
    await page.waitForFunction(() => document.title === 'second call')
    expect(await page.getByText('No longer in the journal').isVisible()).toBe(true)
  })

  it('shows that no recording matches', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Recordings')
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('No recording matches').waitFor()
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
