import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { callArgs, describePage } from './with-page.ts'

const rowNames = (page: Page) => page.locator('.grid-body .cell-name-line').allInnerTexts()
/** Replaces line breaks between the words, because CSS places each word in its own box. */
const wordsOf = async (page: Page, selector: string) =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
const headingTexts = (page: Page) => wordsOf(page, '.grid-heading')
const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const isFocused = (page: Page, role: 'grid' | 'searchbox') =>
  page.getByRole(role).evaluate((element) => element === document.activeElement)

/** True if the whole row is inside the visible part of the list. */
const isRowInSight = async (page: Page, row: string): Promise<boolean> => {
  const [frame, box] = await Promise.all([
    page.getByRole('grid').boundingBox(),
    page.locator(row).boundingBox(),
  ])
  if (frame === null || box === null) return false
  return box.y >= frame.y && box.y + box.height <= frame.y + frame.height
}

describePage('the layout of the recordings list', (open) => {
  it('shows the number of recordings on each chip, and filters by the chip', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    for (const [name, shown] of [
      ['Needs attention 2', '2 recordings'],
      ['Recording 1', '1 recording'],
      ['Waiting 3', '3 recordings'],
      ['Safe 29', '29 recordings'],
      ['Dismissed 1', '1 recording'],
    ] as const) {
      const chip = page.getByRole('button', { name, exact: true })
      await chip.press('Enter')
      await page.getByRole('grid', { name: shown, exact: true }).waitFor()
      expect(await chip.getAttribute('aria-pressed')).toBe('true')
    }
    // A second press clears the filter.
    await page.getByRole('button', { name: 'Dismissed 1' }).press('Enter')
    await page.getByRole('grid', { name: '42 recordings' }).waitFor()
    expect(await page.getByRole('button', { name: 'All 42' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('searchbox').fill('track')
    await page.getByRole('button', { name: 'All 8' }).waitFor()
    await page.getByRole('button', { name: 'Needs attention 1' }).waitFor()
  })

  it('updates the chips while recordings change', async () => {
    const page = await open({ scene: 'busy', at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Needs attention 2' }).waitFor()
    await page.evaluate(() => window.sluice.call.dismissRecordings({ ids: [14] }))
    await page.getByRole('button', { name: 'Needs attention 1' }).waitFor()
    await page.getByRole('button', { name: 'Dismissed 2' }).waitFor()
  })

  it('shows three pressed chips for the part “on this PC” of the night bar', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings?standing=here'))
    await page.getByRole('grid', { name: '7 recordings' }).waitFor()
    expect(await wordsOf(page, '.chip[aria-pressed="true"]')).toEqual([
      'Recording 1',
      'Waiting 3',
      'Uploading 3',
    ])
  })

  it('pins recordings that need attention on top in every order, and groups the other recordings by night', async () => {
    const page = await open({ scene: 'many', rows: 5_000, moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const namesOnTop = ['hall3_20260312_0649.mcap', 'track_20260312_0616.mcap']
    expect((await rowNames(page)).slice(0, 2)).toEqual(namesOnTop)
    expect(await headingTexts(page)).toEqual(['Needs attention 2', 'Last night 468 more'])
    await page.getByRole('button', { name: 'Name' }).click()
    await page.locator('.grid-heading', { hasText: 'All others' }).waitFor()
    expect((await rowNames(page)).slice(0, 2)).toEqual(namesOnTop)
    await page.getByRole('button', { name: 'Found' }).last().click()
    await page.locator('.grid-heading', { hasText: 'Last night' }).waitFor()
    await page.getByRole('button', { name: 'Found' }).last().click()
    await page.locator('.grid-heading', { hasText: 'Sat 7 Mar' }).waitFor()
    expect((await rowNames(page)).slice(0, 2)).toEqual(namesOnTop.toReversed())
    await page.getByRole('button', { name: 'Found' }).last().click()
    // A filtered list pins nothing.
    await page.getByRole('button', { name: /^Safe/ }).press('Enter')
    await page.getByRole('grid', { name: '4,987 recordings' }).waitFor()
    expect((await headingTexts(page)).at(0)).toMatch(/^Last night/)
  })

  it('scrolls to a recording that a link opens, and marks this recording with more than a colour', async () => {
    const page = await open({ scene: 'busy', at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings/40'))
    const row = page.locator('.grid-body [aria-current="true"]')
    await row.waitFor()
    await expect.poll(() => isRowInSight(page, '.grid-body [aria-current="true"]')).toBe(true)
    await row.locator('.row-open-mark svg').waitFor()
    expect(await row.locator('.cell-name-line').evaluate((name) => getComputedStyle(name).fontWeight)).toBe(
      '700',
    )
    // The keyboard continues from there, and updates keep the mark.
    const index = Number((await row.getAttribute('data-index')) ?? Number.NaN)
    await page.evaluate(() => window.sluice.call.pauseRecordings({ ids: [6] }))
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator(`#recording-row-${index + 1}[aria-current="true"]`).waitFor()
    expect(
      await page
        .locator('[aria-current="true"]')
        .filter({ has: page.locator('.cell-name') })
        .count(),
    ).toBe(1)
  })

  it.each([
    ['a wide list', 1120, 760],
    ['beside the details', 1000, 700],
    ['a narrow window', 520, 700],
    ['200%', 560, 380],
  ])('shows the progress of each recording: %s', async (_where, width, height) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width, height })
    await page.evaluate(() => window.scripted.navigate('recordings?standing=uploading'))
    const bar = page.getByRole('grid').getByRole('progressbar').first()
    await bar.waitFor()
    const box = await bar.boundingBox()
    expect(box?.width).toBeGreaterThan(60)
  })
})

describePage('the menu of a recording', (open) => {
  it('opens by keyboard with the actions that apply, and returns the focus', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('Shift+F10')
    const items = page.getByRole('menuitem')
    await page.getByRole('menu').waitFor()
    // The site was refused before a session existed.
    expect(await items.allInnerTexts()).toEqual([
      'Open details',
      'Show in folder',
      'Copy path',
      'Copy for support',
      'Try now',
      'Upload first',
      'Pause',
      'Dismiss',
      'Ignore files like this…',
    ])
    expect(await items.first().evaluate((item) => item === document.activeElement)).toBe(true)
    await page.keyboard.press('End')
    expect(await items.last().evaluate((item) => item === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(page, 'grid')).toBe(true)
    await page.keyboard.press('ContextMenu')
    await page.getByRole('menuitem', { name: 'Copy path' }).press('Enter')
    await page.getByText('Path copied.').waitFor()
    expect(await readClipboard(page)).toBe('/data/recordings/hall-3/hall3_20260312_0649.mcap')
    await expect.poll(() => isFocused(page, 'grid')).toBe(true)
  })

  it('opens at the pointer, for the row under the pointer', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const row = page.getByRole('row', { name: /hall3_20260312_0839/ })
    await row.click({ button: 'right' })
    await page.getByRole('menu', { name: 'hall3_20260312_0839.mcap' }).waitFor()
    expect(await row.getAttribute('aria-selected')).toBe('true')
    await page.getByRole('menuitem', { name: 'Upload first' }).click()
    await page.getByText('1 recording moved to the front.').waitFor()
    await row.getByText('First in queue').waitFor({ state: 'attached' })
  })

  it('applies to the whole selection if the row is part of the selection', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Control+a')
    await page.getByText('42 selected').waitFor()
    await page.locator('#recording-row-2').click({ button: 'right' })
    await page.getByRole('menu', { name: '42 selected recordings' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Copy path' }).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Dismiss' }).click()
    await page.getByText('2 recordings dismissed. 40 others not changed.').waitFor()
  })
})

describePage('a selection', (open) => {
  it('covers the page first, then all matches, and the agent applies the action to every selected recording', async () => {
    const page = await open({ scene: 'many', rows: 11_100, moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Waiting 3' }).press('Enter')
    await page.getByRole('grid', { name: '3 recordings' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
    await page.getByText('3 selected').waitFor()
    expect(await page.getByText('on this page').count()).toBe(0)

    await page.getByRole('button', { name: /^Safe/ }).press('Enter')
    await page.getByRole('grid', { name: '11,087 recordings' }).waitFor()
    await page.getByRole('grid').press('Control+a')
    await page.getByText('All 100 on this page are selected.').waitFor()
    await page.getByRole('button', { name: 'Select all 11,087 that match' }).press('Enter')
    await page.getByText('11,087 selected').waitFor()
    await page.getByText('All 11,087 recordings that match are selected').waitFor()
    // A new filter clears the selection.
    await page.getByRole('searchbox').fill('_102')
    await page.getByText('100 recordings', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('_10')
    const grid = page.getByRole('grid', { name: '1,000 recordings' })
    await grid.press('Control+a')
    await page.getByText('All 100 on this page are selected.').waitFor()
    // A second press does the same as the button.
    await grid.press('Control+a')
    await page.getByText('1,000 selected').waitFor()
    expect(await page.getByRole('checkbox').isChecked()).toBe(true)
    // The agent waits in the middle of the action, so that the progress is visible.
    await page.evaluate(() => {
      const { pauseRecordings } = window.sluice.call
      Object.assign(window.sluice.call, {
        pauseRecordings: async (args: never) => {
          await new Promise((continuePause) => Object.assign(window, { continuePause }))
          return pauseRecordings(args)
        },
        getActionProgress: () => Promise.resolve({ ok: true, value: { done: 400, total: 1000 } }),
      })
    })
    await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter')
    await page.getByText('Pause: 400 of 1,000').waitFor()
    await page.evaluate(() => (window as unknown as { continuePause: () => void }).continuePause())
    await page.getByText('Nothing to pause: already paused or uploaded.').waitFor()
    expect(await callArgs(page, 'pauseRecordings')).toEqual([
      { matching: { text: '_10', standings: ['safe'] } },
    ])
  })

  it.each([
    ['Pause', 8],
    ['Dismiss', 2],
    ['Upload first', 7],
  ] as const)('is in its earlier state after “%s” is undone', async (action, count) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const readStates = () =>
      page.evaluate(async () => {
        const answer = await window.sluice.call.listRecordings({ limit: 500 })
        if (!answer.ok) throw new Error(answer.error.message)
        return answer.value.rows.map(({ id, standing, paused, prioritised, problem, heldSince }) =>
          JSON.stringify([id, standing, paused, prioritised, problem, heldSince]),
        )
      })
    await openScreen(page, 'Recordings')
    const statesBefore = await readStates()
    await page.getByRole('grid').press('Control+a')
    await page.getByRole('button', { name: action, exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const statesAfter = await readStates()
    expect(statesAfter.filter((row) => !statesBefore.includes(row))).toHaveLength(count)
    await page.getByRole('grid').press('Control+z')
    await page.getByText(`Undone for ${count} recordings.`).waitFor()
    expect(await readStates()).toEqual(statesBefore)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('offers no Undo for an action that cannot be undone', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('Control+a')
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByText('Trying 5 recordings again.', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })
})

describePage('keyboard shortcuts', (open) => {
  it('focus the search box and open the list of shortcuts, but not while the user types', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid').press('/')
    await expect.poll(() => isFocused(page, 'searchbox')).toBe(true)
    await page.keyboard.type('a/b?')
    expect(await page.getByRole('searchbox').inputValue()).toBe('a/b?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Clear filters' }).first().press('Enter')
    await page.getByRole('grid').press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Select this page; press again to select all matches').waitFor()
    // The shortcuts dialog blocks the search shortcut.
    await page.keyboard.press('/')
    expect(await isFocused(page, 'searchbox').catch(() => false)).toBe(false)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('are listed from the app menu too, over any screen', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Folders')
    await page.evaluate(() => window.scripted.navigate('keys'))
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1, name: 'Folders' }).waitFor()
  })
})

describePage('the text for support', (open) => {
  it('is copied from a card of the overview, with three recordings', async () => {
    const page = await open({ scene: 'refused', moving: false, at: MORNING })
    await page.getByRole('button', { name: 'More actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Copy for support' }).press('Enter')
    await page.getByText('Copied for support.').waitFor()
    const text = await readClipboard(page)
    expect(text).toContain('Station: capture-pc-07\nVersion: 0.1.0, Linux 6.1 (x64)\n')
    expect(text).toContain('Problem: site-refused\n')
    expect(text).toContain('Recordings: 10000\n')
    expect(text.match(/^File: /gm)).toHaveLength(3)
  })

  it('is copied from the details of a recording, even without a problem', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings/15'))
    await page.getByRole('button', { name: 'Copy for support' }).press('Enter')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const text = await readClipboard(page)
    expect(text).toContain('Status: Safe (processed)\n')
    expect(text).toContain('Session ID: ses_8999986\n')
    expect(text).toMatch(/^Request: req_\w+ at 2026-03-12T.*: .*$/m)
  })
})

describePage('a narrow or short window', (open) => {
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
})
