import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const segment = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })

describePage('the technical log', (open) => {
  const openLog = async (page: Page) => {
    await openScreen(page, 'Activity')
    await segment(page, 'Technical log').click()
    await page.getByText('recording=').first().waitFor()
  }

  it('keeps updating when two answers arrive at the same time', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openLog(page)
    await page.evaluate(() => {
      const { listLogLines } = window.sluice.call
      const waitingAnswers: (() => void)[] = []
      const waitForPair = () =>
        new Promise<void>((resolve) => {
          waitingAnswers.push(resolve)
          if (waitingAnswers.length === 2) for (const release of waitingAnswers.splice(0)) release()
        })
      Object.assign(window.sluice.call, {
        listLogLines: async (query: Parameters<typeof listLogLines>[0]) => {
          const answer = await listLogLines(query)
          await waitForPair()
          return answer
        },
      })
    })
    const countBefore = (await callArgs(page, 'listLogLines')).length
    await expect
      .poll(async () => (await callArgs(page, 'listLogLines')).length)
      .toBeGreaterThan(countBefore + 4)
    await page.getByText('recording=').first().waitFor()
  })
})
