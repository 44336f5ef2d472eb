import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needs, program } from '../support/needs.ts'
import { AppStation, electron, goTo, waitForState } from './app.ts'
import { SessionBus } from './session-bus.ts'

const keychain = [electron, program('dbus-daemon'), program('gnome-keyring-daemon')]

describe('an API key in the settings file', needs(...keychain), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('is encrypted with a real keychain, is removed from the settings file, and works after a restart', async () => {
    const bus = await SessionBus.start(station)
    const args = ['--foreground', '--unlock', '--components=secrets']
    await bus.serve('org.freedesktop.secrets', 'gnome-keyring-daemon', args, 'the password of the keyring')
    const sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: station.recordings, site: 'Hall 3', settle_seconds: 0 }],
      follow: { poll_seconds: 1 },
    })
    const withKeyring = { args: ['--password-store=gnome-libsecret'], env: bus.env }

    const first = await station.startApp(withKeyring)
    await first.quit()
    for (const file of ['settings.json', 'key.bin'])
      expect(readFileSync(path.join(station.data, file)).includes(sandbox.keys.write)).toBe(false)

    writeFileSync(path.join(station.recordings, 'one.bin'), 'one')
    const { page } = await station.startApp(withKeyring)
    await goTo(page, 'Recordings')
    await waitForState(page, 'one.bin', 'Safe')
  })
})
