import type { Page } from 'playwright-core'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { browser } from '../support/browser.ts'
import { needs } from '../support/needs.ts'
import { type PageOptions, PagePool, pageErrorsOf } from './browser/page-pool.ts'

type Open = (options: PageOptions) => Promise<Page>

const pageTest = it
  .extend('fixtures', { scope: 'worker' }, inject('pageFixtures'))
  .extend('pool', { scope: 'worker' }, async ({ fixtures }, { onCleanup }) => {
    const pool = await PagePool.open(fixtures)
    onCleanup(() => pool.close())
    return pool
  })

/** A suite whose tests open pages. A test fails if one of its pages violated the CSP or threw an error. */
export const describePage = (name: string, suite: (open: Open) => void): void => {
  describe(name, needs(browser), () => {
    let pool: PagePool
    const pages: Page[] = []
    pageTest.beforeAll(({ pool: opened }) => {
      pool = opened
    })
    afterEach(async () => {
      const errors = pages.flatMap((page) => pageErrorsOf(page))
      await Promise.all(pages.splice(0).map((page) => pool.release(page)))
      expect(errors).toEqual([])
    })
    suite(async (options) => {
      const page = await pool.openPage(options)
      pages.push(page)
      return page
    })
  })
}

/** The arguments of each call with this name that the page has made so far. */
export const callArgs = (page: Page, name: string): Promise<unknown[]> =>
  page.evaluate(
    (callName) => window.scripted.pageCalls.filter((call) => call.name === callName).map((call) => call.args),
    name,
  )
