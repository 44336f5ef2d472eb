import { expect, test } from 'vitest'
import { trayAdvice } from '../../../../shared/words/tray-advice.ts'

test.each(['GNOME', 'ubuntu:GNOME', 'GNOME-Classic:GNOME', 'pop:gnome'])(
  'on %s without a tray, names the extension and its package, and suggests leaving the window open',
  (desktop) => {
    const advice = trayAdvice({ system: 'linux', hasTray: false, desktop })
    expect(advice?.sentence).toContain('AppIndicator')
    expect(advice?.command).toBe('sudo apt install gnome-shell-extension-appindicator')
    expect(advice?.instead).toContain('leave this window open')
  },
)

test.each(['sway', 'XFCE', null])(
  'on desktop %s without a tray, gives no command and does not mention GNOME',
  (desktop) => {
    const advice = trayAdvice({ system: 'linux', hasTray: false, desktop })
    expect(advice?.command).toBeNull()
    expect(advice?.sentence).not.toContain('GNOME')
  },
)

test.each([
  ['linux', true],
  ['windows', true],
  ['macos', true],
] as const)('on %s with a tray, gives no advice', (system, hasTray) => {
  expect(trayAdvice({ system, hasTray, desktop: 'GNOME' })).toBeNull()
})
