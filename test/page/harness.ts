import type { Page } from 'playwright-core'

/** Opens a screen by its name in the sidebar. */
export const openScreen = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('button', { name, exact: false }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
}
