import { expect, it } from 'vitest'
import { appMenuTemplate } from '../../../../../main/shell/window/app-menu.ts'
import { screens } from '../../../../../renderer/navigation.ts'

const submenuOf = (platform: NodeJS.Platform, goTo: (to: string) => void) => {
  const menu = appMenuTemplate({ platform, isPackaged: true, goTo, quit: () => undefined })
  const go = menu.find(({ label }) => label?.endsWith('Go'))
  return Array.isArray(go?.submenu) ? go.submenu : []
}

it.each(['linux', 'darwin', 'win32'] as const)('every screen has its own shortcut on %s', (platform) => {
  const targets: string[] = []
  const entries = submenuOf(platform, (to) => targets.push(to))
  for (const { click } of entries) click?.(undefined as never, undefined, undefined as never)
  expect(targets).toEqual(screens)
  const keys = entries.map(({ accelerator }) => accelerator)
  expect(keys).not.toContain(undefined)
  expect(new Set(keys).size).toBe(screens.length)
  // Ctrl+0 already resets the zoom.
  expect(keys).not.toContain('CmdOrCtrl+0')
})
