import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { describePage } from '../../page/with-page.ts'
import { scrollThroughList } from '../../support/page-timing.ts'
import { isLong } from '../../support/runs.ts'

const [rows, nights] = isLong ? [100_000, 71] : [20_000, 15]

describePage('a list of very many recordings', (open) => {
  it('renders only visible rows, and scrolls to the last row', async () => {
    const page = await open({ scene: 'many', rows, at: MORNING })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid', { name: `${rows.toLocaleString('en')} recordings` })
    // The headings of the nights, the heading of the pinned recordings and the column headers count as rows.
    const rowCount = rows + nights + 2
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(rowCount))
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await scrollThroughList(page)
    await page.locator(`#recording-row-${rows - 1}[aria-rowindex="${rowCount}"]`).waitFor()
  })
})
