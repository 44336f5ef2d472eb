import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type Screen, screens } from '../../../renderer/navigation.ts'
import { isFocused, openScreen } from '../../page/harness.ts'
import { KeyboardWalk } from '../../page/keyboard-walk.ts'
import { MORNING } from '../../page/morning.ts'
import type { Scene } from '../../page/scripted/scene.ts'
import { describePage } from '../../page/with-page.ts'

type View = { readonly scene: Scene; readonly width: number; readonly height: number }

/** Scenes with many buttons. In the small window, most screens scroll. */
const views: readonly View[] = [
  { scene: 'busy', width: 1120, height: 760 },
  { scene: 'conditions', width: 900, height: 600 },
]

/** Waits until the page has drawn the answers of the station and makes no further calls. */
const waitUntilLoaded = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { pageCalls } = window.scripted
    for (let callCount = -1; callCount !== pageCalls.length; ) {
      callCount = pageCalls.length
      await window.station('getStatus', null)
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    }
  })

/** Opens a screen from the sidebar with Tab and Enter. The focus is then on the title of the screen. */
const openByKeyboard = async (page: Page, screen: Screen): Promise<void> => {
  for (let tabs = 0; tabs <= screens.indexOf(screen); tabs += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForFunction(
    (index) =>
      document.querySelectorAll('nav button')[index]?.getAttribute('aria-current') === 'page' &&
      document.activeElement?.id === 'screen-title',
    screens.indexOf(screen),
  )
  await waitUntilLoaded(page)
}

describePage('the keyboard alone', (open) => {
  const walks = views.flatMap((view) => screens.map((screen) => ({ ...view, screen })))

  it.each(walks)(
    'reaches all controls of $screen in “$scene”, shows the focus, and leaves the screen',
    async ({ screen, ...view }) => {
      const page = await open({ ...view, moving: false, at: MORNING })
      await openByKeyboard(page, screen)
      const walk = new KeyboardWalk(page)
      await walk.throughScreen()
      expect.soft(walk.problems).toEqual([])
      expect.soft(await walk.unreachedControls()).toEqual([])
      expect(walk.stopCount).toBeGreaterThan(0)
    },
  )
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

  it('are also listed from the app menu; closing the list returns to the previous screen', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Folders')
    await page.evaluate(() => window.scripted.navigate('keys'))
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1, name: 'Folders' }).waitFor()
  })
})
