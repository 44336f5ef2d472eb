import type { Page } from 'playwright-core'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { browser } from '../support/browser.ts'
import { needs } from '../support/needs.ts'
import { complaintsOf, type PageOptions, Stage } from './stage/stage.ts'

type Open = (options: PageOptions) => Promise<Page>

const staged = it
  .extend('given', { scope: 'worker' }, inject('stageGiven'))
  .extend('stage', { scope: 'worker' }, async ({ given }, { onCleanup }) => {
    const stage = await Stage.open(given)
    onCleanup(() => stage.close())
    return stage
  })

/** Fails if a page broke its CSP or threw an error. */
export const describePage = (name: string, suite: (open: Open) => void): void => {
  describe(name, needs(browser), () => {
    let stage: Stage
    const pages: Page[] = []
    staged.beforeAll(({ stage: opened }) => {
      stage = opened
    })
    afterEach(async () => {
      const complaints = pages.flatMap((page) => complaintsOf(page))
      await Promise.all(pages.splice(0).map((page) => stage.putAway(page)))
      expect(complaints).toEqual([])
    })
    suite(async (options) => {
      const page = await stage.openPage(options)
      pages.push(page)
      return page
    })
  })
}

/** The calls of the page so far, by name. */
export const asked = (page: Page, name: string): Promise<unknown[]> =>
  page.evaluate(
    (wanted) => window.scripted.pageCalls.filter((call) => call.name === wanted).map((call) => call.args),
    name,
  )
