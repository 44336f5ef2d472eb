import type { Locator, Page } from 'playwright-core'

/** Opens a screen by its name in the sidebar. */
export const openScreen = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('button', { name, exact: false }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** True if an element is fully visible above the status bar. */
export const isInSight = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const statusBarTop = document.querySelector('.statusbar')?.getBoundingClientRect().top ?? 0
    const isOnTop = [left + 2, (left + right) / 2, right - 2].every((x) =>
      element.contains(document.elementFromPoint(x, (top + bottom) / 2)),
    )
    return isOnTop && top >= 0 && bottom <= statusBarTop
  })

export const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

export const isFocused = (page: Page, role: 'grid' | 'searchbox') =>
  page.getByRole(role).evaluate((element) => element === document.activeElement)
