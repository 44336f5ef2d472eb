import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type Screen, screens } from '../../renderer/navigation.ts'
import { KeyboardWalk } from './keyboard-walk.ts'
import { MORNING } from './morning.ts'
import type { Scene } from './scripted/scene.ts'
import { describePage } from './with-page.ts'

type View = { readonly scene: Scene; readonly width: number; readonly height: number }

/** Scenes with data, and with problems that add buttons to the screens. In the small window, most screens scroll. */
const views: readonly View[] = [
  { scene: 'busy', width: 1120, height: 760 },
  { scene: 'conditions', width: 900, height: 600 },
]

/** Waits until an answer of the station is drawn and leads to no further calls. */
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
    'reaches all of $screen in “$scene”, shows the focus, and leaves the screen',
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
