import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { browser } from '../support/browser.ts'
import { needs } from '../support/needs.ts'
import { complaintsOf, launchBrowser, openPage, type PageOptions } from './harness.ts'

type Open = (options: PageOptions) => Promise<Page>

/** A suite with one browser; every page it opened must have kept its policy and thrown nothing. */
export const describePage = (name: string, suite: (open: Open) => void): void => {
  describe(name, needs(browser), () => {
    let opened: Browser
    const pages: Page[] = []
    beforeAll(async () => {
      opened = await launchBrowser()
    })
    afterEach(async () => {
      const complaints = pages.flatMap((page) => complaintsOf(page))
      await Promise.all(pages.splice(0).map((page) => page.context().close()))
      expect(complaints).toEqual([])
    })
    afterAll(() => opened.close())
    suite(async (options) => {
      const page = await openPage(opened, options)
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
