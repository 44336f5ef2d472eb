import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createKey, revokeKey } from '../../../server/cli/organisations.ts'
import { createIdMaker, systemRandom } from '../../../server/ids.ts'
import { sessions } from '../../../server/store/sessions.ts'
import { patterned } from '../../contract/service.ts'
import { browserArguments, browser as browserNeed, pageBrowserPath } from '../../support/browser.ts'
import { fillLab } from '../../support/lab-page/lab-scene.ts'
import { LabService, openEmbedded } from '../../support/lab-page/lab-service.ts'
import { needs } from '../../support/needs.ts'
import { isLong } from '../../support/runs.ts'

declare const axe: typeof import('axe-core')
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the page of the server', needs(browserNeed), () => {
  let browser: Browser
  let lab: LabService
  beforeAll(async () => {
    browser = await chromium.launch({
      ...(pageBrowserPath === undefined ? {} : { executablePath: pageBrowserPath }),
      args: browserArguments,
    })
    lab = await LabService.start(await openEmbedded())
    await fillLab(lab)
  })
  afterAll(async () => {
    await browser.close()
    await lab.close()
  })

  /**
   * Opens a tab with its own storage. The test fails if the page breaks its content security policy, opens a dialog or
   * logs an error that `isExpected` does not accept.
   */
  const openTab = async (
    options: BrowserContextOptions = {},
    isExpected: (error: string) => boolean = () => false,
  ): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('dialog', (dialog) => {
      errors.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    onTestFinished(async () => {
      await context.close()
      expect(errors.filter((error) => !isExpected(error))).toEqual([])
    })
    return page
  }
  const signIn = async (page: Page, key = lab.keys.read): Promise<Page> => {
    await page.goto(lab.baseUrl)
    await page.getByLabel('Key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation').waitFor()
    return page
  }
  const isRefusedKey = (error: string) => error.includes('401')
  const creationContext = () => ({
    store: lab.store,
    makeId: createIdMaker(systemRandom),
    random: systemRandom,
    now: Date.now,
    actor: 'operator:test',
  })

  test('keeps the key only in the session storage of the tab, in no address and no cookie', async () => {
    const page = await openTab()
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await signIn(page)
    await page.getByRole('table', { name: '' }).first().waitFor()
    await page.reload()
    await page.getByRole('table').first().waitFor()
    expect(addresses.length).toBeGreaterThan(5)
    expect(addresses.filter((address) => address.includes('svc_'))).toEqual([])
    expect(addresses.filter((address) => !address.startsWith(lab.baseUrl))).toEqual([])
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ''])
    const otherTab = await page.context().newPage()
    await otherTab.goto(lab.baseUrl)
    await otherTab.getByLabel('Key').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('reports a wrong key, and signs out when the key is revoked', async () => {
    const page = await openTab({}, isRefusedKey)
    await page.goto(lab.baseUrl)
    await page.getByLabel('Key').fill('svc_live_wrong')
    await page.keyboard.press('Enter')
    await page.getByText('This key is unknown.').waitFor()
    await page.getByLabel('Key').fill('ключ')
    await page.keyboard.press('Enter')
    await page.getByText('This is not a key.').waitFor()
    const { id, key } = await createKey(creationContext(), {
      orgId: lab.orgId,
      name: 'guest',
      canWrite: false,
    })
    await signIn(page, key)
    await page.getByRole('table').first().waitFor()
    await revokeKey(creationContext(), id)
    await page
      .getByRole('combobox', { name: 'Status' })
      .or(page.getByRole('button', { name: /Status/ }))
      .first()
      .click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.getByText('This key was revoked.').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('warns about a key that can write', async () => {
    const page = await signIn(await openTab(), lab.keys.write)
    await page.getByText('This key can also upload and delete recordings.', { exact: false }).waitFor()
  })

  test('pages through the list, filters it, and searches', async () => {
    const page = await signIn(await openTab())
    const names = page.locator('tbody .link-button')
    await names.first().waitFor()
    expect(await names.count()).toBe(50)
    const firstName = await names.first().getAttribute('aria-label')
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByText('Page 2').waitFor()
    await expect.poll(() => names.first().getAttribute('aria-label')).not.toBe(firstName)
    await page.getByRole('button', { name: 'Newer' }).click()
    await expect.poll(() => names.first().getAttribute('aria-label')).toBe(firstName)
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('ROVER-7')
    await expect.poll(() => names.count()).toBe(35)
    await page.getByRole('button', { name: /Status$/ }).click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await expect.poll(() => names.count()).toBeLessThan(5)
    await page.getByRole('searchbox').fill('nothing like this')
    await page.getByText('No session matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => names.count()).toBe(50)
    await page.getByRole('link', { name: 'Stations' }).click()
    await page.getByRole('button', { name: 'Outdoor track' }).click()
    await expect.poll(() => names.count()).toBe(35)
    expect(await page.getByRole('button', { name: /Site$/ }).innerText()).toContain('Outdoor track')
  })

  test('shows the channels, issues, notes and timeline of a session, downloads the original, and closes the details with the back button', async () => {
    const page = await signIn(await openTab())
    await page.getByRole('button', { name: 'pick-and-place.mcap' }).click()
    const pane = page.getByRole('complementary', { name: 'pick-and-place.mcap' })
    await pane.getByRole('heading', { name: 'Timeline' }).waitFor()
    for (const text of ['camera.front', 'joint.states', 'No issues.', 'The second camera was covered.'])
      await pane.getByText(text, { exact: false }).waitFor()
    expect(await pane.locator('.timeline-entry').count()).toBe(3)
    const started = page.waitForEvent('download')
    await pane.getByRole('button', { name: 'Download original' }).click()
    const download = await started
    expect(download.suggestedFilename()).toBe('pick-and-place.mcap')
    expect(
      readFileSync((await download.path())!)
        .subarray(0, 8)
        .toString('latin1'),
    ).toBe('\x89MCAP0\r\n')
    expect(download.url()).not.toContain('svc_')
    await page.goBack()
    await pane.waitFor({ state: 'detached' })
  })

  test('runs no code from names, notes, sites, devices and issues', async () => {
    const attack = (n: number) => `<img src=x onerror="window.attacked=${n}">`
    const script = '<script>window.attacked=1</script><svg/onload=window.attacked=2>'
    const id = await lab.upload(patterned(1_500, 9), {
      site: attack(1),
      device: attack(2),
      filename: `"'>${attack(3)}\u202Excod.html`,
      notes: `${script}\n[link](javascript:alert(1)) {{7*7}} \${7*7}`,
    })
    const evilIssue = { code: attack(4), severity: 'error' as const, detail: script, channel: attack(5) }
    await lab.store.write(function* () {
      const row = (yield* sessions.get(id))!
      yield* sessions.remove(id)
      yield* sessions.insert(row)
      yield* sessions.startProcessing(id, row.created_at)
      yield* sessions.finish(id, row.created_at, {
        status: 'failed',
        recordedAt: null,
        durationS: null,
        channels: [attack(6)],
        segmentCount: 0,
        issues: [evilIssue],
      })
    })
    const page = await signIn(await openTab())
    await page.getByRole('searchbox').fill('onerror')
    const names = page.locator('tbody .link-button')
    await expect.poll(() => names.count()).toBe(1)
    await names.click()
    const pane = page.getByRole('complementary')
    await pane.getByText('<script>window.attacked=1</script>', { exact: false }).first().waitFor()
    for (const screen of ['Stations', 'Storage']) {
      await page.getByRole('link', { name: screen }).click()
      await page.getByText(attack(1)).first().waitFor()
    }
    const state = await page.evaluate(() => ({
      attacked: 'attacked' in window,
      foreign: document.querySelectorAll('#root img, #root script, #root a[href^="javascript"]').length,
    }))
    expect(state).toEqual({ attacked: false, foreign: 0 })
    expect((await lab.call('DELETE', `/v1/sessions/${id}`, lab.keys.write)).status).toBe(200)
  })

  test('runs no inline code and no code from a string', async () => {
    const page = await openTab({}, (error) =>
      /Content Security Policy|TrustedHTML|This document requires/.test(error),
    )
    await signIn(page)
    const result = await page.evaluate(() => {
      const outcome: Record<string, boolean> = {}
      const script = document.createElement('script')
      try {
        script.text = 'window.ranInline = true'
        document.body.append(script)
      } catch {}
      outcome.inline = 'ranInline' in window
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ranHandler=true">')
        outcome.html = true
      } catch {
        outcome.html = false
      }
      return outcome
    })
    expect(result).toEqual({ inline: false, html: false })
    const reached = await page.evaluate(() =>
      fetch('http://127.0.0.2:9/').then(
        () => 'answer',
        (e) => String(e),
      ),
    )
    expect(reached).toContain('TypeError')
  })

  test('shows nothing to a different organisation, even at the address of a session', async () => {
    const list = (await lab.call('GET', '/v1/sessions?limit=1')).json() as { data: { id: string }[] }
    const id = list.data[0]!.id
    const page = await signIn(await openTab({}, (error) => error.includes('403')), lab.keys.other)
    await page.getByText('There are no sessions yet').waitFor()
    await page.goto(`${lab.baseUrl}/#sessions/${id}`)
    await page.getByText('belongs to a different organisation', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Stations' }).click()
    await page.getByText('No station has uploaded yet').waitFor()
    await page.getByRole('link', { name: 'Storage' }).click()
    await page.getByText('0 sessions').waitFor()
    expect(await page.content()).not.toContain('arm-left')
  })

  /** `npm test -- long` checks all four combinations of theme and width. */
  const views = [
    { theme: 'light', width: 1280 },
    { theme: 'dark', width: 400 },
    ...(isLong
      ? ([
          { theme: 'light', width: 400 },
          { theme: 'dark', width: 1280 },
        ] as const)
      : []),
  ] as const
  test.each(views)(
    'has no violations that axe can detect, and fits its window: $theme, $width px',
    async ({ theme, width }) => {
      // The policy of the page would block the axe code that the test injects.
      const page = await openTab({ viewport: { width, height: 800 }, colorScheme: theme, bypassCSP: true })
      const check = async (name: string) => {
        const violations = await page.evaluate(async () => {
          const { violations } = await axe.run(document, { resultTypes: ['violations'] })
          return violations.flatMap(({ id, nodes }) =>
            nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`),
          )
        })
        expect.soft(violations, name).toEqual([])
        const overflow = await page.evaluate(() => {
          const main = document.querySelector('main')!
          return main.scrollWidth - main.clientWidth
        })
        expect.soft(overflow, name).toBe(0)
      }
      await page.goto(lab.baseUrl)
      await page.getByLabel('Key').waitFor()
      await page.evaluate(axeSource)
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        theme === 'light' ? 'rgb(244, 245, 246)' : 'rgb(21, 24, 27)',
      )
      await check('sign-in')
      await page.getByLabel('Key').fill(lab.keys.write)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('tbody .link-button').first().waitFor()
      await check('sessions')
      await page.getByRole('button', { name: 'pick-and-place.mcap' }).click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await check('details')
      await page.getByRole('button', { name: 'Close details' }).click()
      await page.locator('tbody .link-button').nth(1).click()
      await page.getByText('arrived,', { exact: false }).waitFor()
      await check('details of an upload')
      await page.getByRole('button', { name: 'Close details' }).click()
      for (const screen of ['Stations', 'Storage']) {
        await page.getByRole('link', { name: screen }).click()
        await page.getByRole('heading', { level: 1, name: screen }).waitFor()
        await check(screen)
      }
    },
  )
})
