import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { describePage } from '../../page/with-page.ts'

describePage('a small or zoomed window', (open) => {
  it('shows tooltips for the icons of the sidebar, including Pause', async () => {
    const page = await open({ scene: 'busy', moving: false, width: 560, height: 380 })
    for (const name of ['Recordings', 'Folders', 'Pause uploads']) {
      await page.getByRole('button', { name }).first().focus()
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Tab')
      await page.getByRole('tooltip', { name }).waitFor()
    }
    await page.getByRole('button', { name: 'Pause uploads' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Until I resume' }).press('Enter')
    await page.getByRole('button', { name: 'Resume uploads' }).waitFor()
  })

  it.each([
    ['keyboard shortcuts', async (page: Page) => page.keyboard.press('?')],
    [
      'delete at the service',
      async (page: Page) => {
        await page.evaluate(() => window.scripted.navigate('recordings/15'))
        await page.getByRole('button', { name: 'Delete at the service…' }).press('Enter')
      },
    ],
    [
      'watch a folder',
      async (page: Page) => {
        await openScreen(page, 'Folders')
        await page.getByRole('button', { name: 'Watch another folder' }).press('Enter')
      },
    ],
  ] as const)('keeps the buttons of a dialog visible: %s', async (_name, arrange) => {
    const page = await open({ scene: 'busy', moving: false, width: 560, height: 380 })
    await arrange(page)
    const buttons = page.locator('.dialog-actions button')
    await buttons.first().waitFor()
    for (const button of await buttons.all()) {
      const box = await button.boundingBox()
      expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThanOrEqual(380)
      expect(box?.y).toBeGreaterThan(0)
    }
    const title = await page.locator('.dialog-title').boundingBox()
    expect(title?.y).toBeGreaterThanOrEqual(0)
  })

  it('does not cut the upload status', async () => {
    const page = await open({ scene: 'busy', moving: false, width: 560, height: 380, at: MORNING })
    const cutTexts = await page
      .locator('.statusbar-figures, .statusbar-state .marked > span')
      .evaluateAll((elements) =>
        elements
          .filter((element) => element.scrollWidth > element.clientWidth)
          .map((element) => element.textContent),
      )
    expect(cutTexts).toEqual([])
  })

  it('keeps long names inside the smallest window', async () => {
    const page = await open({ scene: 'busy', moving: false, width: 480, height: 420 })
    await page.evaluate(async () => {
      const name = `${'x'.repeat(250)}.mcap`
      const { getRecording, getStatus } = window.sluice.call
      Object.assign(window.sluice.call, {
        getRecording: async (args: { id: number }) => {
          const answer = await getRecording(args)
          return answer.ok && answer.value !== null ? { ok: true, value: { ...answer.value, name } } : answer
        },
      })
      const answer = await getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const { problems, recent, station } = answer.value
      await window.scripted.changeStatus({
        station: { ...station, headline: `${name}: The folder cannot be found.` },
        problems: problems.map((group) => ({ ...group, examples: [{ id: 1, name }] })),
        recent: recent.map((row) => ({ ...row, name })),
      })
    })
    const elementsOutside = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('h1, h2, p, bdi, .notice-text, .statusbar > *')]
          .filter((element) => element.getBoundingClientRect().right > window.innerWidth)
          .map((element) => element.outerHTML.slice(0, 80)),
      )
    await page.getByRole('heading', { level: 1, name: 'The folder cannot be found.' }).waitFor()
    expect(await elementsOutside()).toEqual([])
    const statusBar = page.getByRole('contentinfo')
    expect(await statusBar.evaluate((bar) => bar.scrollHeight - bar.clientHeight)).toBe(0)
    await page.evaluate(() => window.scripted.navigate('recordings/15'))
    await page.getByRole('button', { name: 'Delete at the service…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('textbox').fill('delete')
    expect(await elementsOutside()).toEqual([])
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('is deleted at the service.', { exact: false }).waitFor()
    expect(await elementsOutside()).toEqual([])
  })

  it('keeps the buttons of a long dialog visible at 200% zoom', async () => {
    const page = await open({ scene: 'busy', zoom: 2, moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    await page.getByText('Files and parts').click()
    const buttonBox = await page.getByRole('button', { name: 'Watch this folder' }).boundingBox()
    expect((buttonBox?.y ?? 999) + (buttonBox?.height ?? 0)).toBeLessThan(380)
    // The last field can be scrolled above the buttons.
    const lastField = page.getByLabel('Part size')
    await lastField.scrollIntoViewIfNeeded()
    const fieldBox = await lastField.boundingBox()
    expect((fieldBox?.y ?? 999) + (fieldBox?.height ?? 0)).toBeLessThan(buttonBox?.y ?? 0)
  })

  it('shows every icon of a narrow sidebar, with a tooltip on hover; a wide sidebar has no tooltips', async () => {
    const page = await open({ scene: 'calm', moving: false, zoom: 2 })
    // React Aria shows a tooltip only if the mouse moved before the hover, so the mouse first moves elsewhere.
    await page.mouse.move(300, 300)
    await page.getByRole('button', { name: 'Transfer' }).hover()
    await page.getByRole('tooltip', { name: 'Transfer' }).waitFor()
    const pauseBox = await page.getByRole('button', { name: 'Pause uploads' }).boundingBox()
    // The last icon is above the status bar, so all icons are visible without scrolling.
    expect((pauseBox?.y ?? 999) + (pauseBox?.height ?? 0)).toBeLessThan(352)
    const widePage = await open({ scene: 'calm', moving: false })
    await widePage.getByRole('button', { name: 'Transfer' }).focus()
    await widePage.keyboard.press('Tab')
    expect(await widePage.getByRole('tooltip').count()).toBe(0)
  })

  it('fits the window at 200% zoom without horizontal scrolling', async () => {
    const page = await open({ scene: 'busy', zoom: 2, moving: false })
    for (const name of [
      'Recordings',
      'Service sessions',
      'Folders',
      'Service & key',
      'Transfer',
      'Monitoring',
      'General',
      'About',
    ]) {
      await openScreen(page, name)
      const overflow = await page.evaluate(() => {
        const main = document.getElementById('main')
        return main === null ? 0 : main.scrollWidth - main.clientWidth
      })
      expect(overflow, name).toBe(0)
    }
  })
})
