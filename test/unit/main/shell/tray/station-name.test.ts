import { expect, test } from 'vitest'
import { trayTip } from '../../../../../main/shell/tray/tray-menu.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { aStatus } from '../status-fixture.ts'

test('the tip of the tray icon names the station before its status', () => {
  const view = { health: { state: 'running', restarts: 0 }, startAtLogin: false, system: 'linux' } as const
  const status = aStatus({
    station: { name: 'Hall 3, left rig', headline: '40 of 42 recordings are safe' },
  })
  expect(trayTip({ ...view, status })).toBe('Hall 3, left rig: 40 of 42 recordings are safe')
  expect(trayTip({ ...view, status: null })).toBe('Starting…')
})

test('a station name has at most 64 characters, and is optional', () => {
  const isValidName = (station_name: string | undefined) =>
    settingsSchema.safeParse({ service: { base_url: 'https://api.example.com' }, app: { station_name } })
      .success
  expect([undefined, 'Hall 3', '', 'x'.repeat(65)].map(isValidName)).toEqual([true, true, false, false])
})
