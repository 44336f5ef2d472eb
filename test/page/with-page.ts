import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { complaintsOf, launchBrowser, openPage, type PageOptions } from './harness.ts'

type Open = (options: PageOptions) => Promise<Page>

/** A suite with one browser; every page it opened must have kept its policy and thrown nothing. */
export const describePage = (name: string, suite: (open: Open) => void): void => {
  describe.skipIf(browserPath === undefined)(name, () => {
    let browser: Browser
    const pages: Page[] = []
    beforeAll(async () => {
      browser = await launchBrowser()
    })
    afterEach(async () => {
      const complaints = pages.flatMap((page) => complaintsOf(page))
      await Promise.all(pages.splice(0).map((page) => page.context().close()))
      expect(complaints).toEqual([])
    })
    afterAll(() => browser.close())
    suite(async (options) => {
      const page = await openPage(browser, options)
      pages.push(page)
      return page
    })
  })
}

/** The calls that the page made so far, by name. */
export const asked = (page: Page, name: string): Promise<unknown[]> =>
  page.evaluate(
    (wanted) => window.scripted.asked.filter((call) => call.name === wanted).map((call) => call.args),
    name,
  )
