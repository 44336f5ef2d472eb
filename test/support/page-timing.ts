import type { Page } from 'playwright-core'

type TimedWindow = { readonly longTasks: number[] }

/** Starts to record every period of more than 50 ms in which the page could not answer. */
export const watchLongTasks = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const longTasks: number[] = []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) longTasks.push(Math.round(entry.duration))
    }).observe({ type: 'longtask' })
    Object.assign(window, { longTasks } satisfies TimedWindow)
  })

export const takeLongTasks = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as unknown as TimedWindow).longTasks.splice(0))

/** The time from the click in the sidebar to the first visible row, by the page's own clock. */
export const measureTimeToOpenRecordings = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const startedAt = performance.now()
        const checkForRow = () => {
          if (document.querySelector('.grid-body .cell-name') === null) requestAnimationFrame(checkForRow)
          else resolve(Math.round(performance.now() - startedAt))
        }
        const button = [...document.querySelectorAll<HTMLElement>('.nav-item')].find((item) =>
          item.textContent?.startsWith('Recordings'),
        )
        button?.click()
        checkForRow()
      }),
  )

const WHEEL_TURNS = 60

/** Turns the wheel, then jumps through the whole list and waits at each stop until its rows are visible. */
export const scrollThroughList = async (page: Page): Promise<void> => {
  await page.getByRole('grid').hover()
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) await page.mouse.wheel(0, 400)
  for (const share of [0.1, 0.35, 0.6, 0.85, 1]) {
    await page.getByRole('grid').evaluate((element, part) => {
      element.scrollTop = element.scrollHeight * part
    }, share)
    await page.waitForFunction(() => document.querySelector('.cell-loading') === null)
  }
}
