import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished } from 'vitest'
import { prepareWindow } from '../../../scripts/window/open-app.mjs'
import { SessionBus } from '../../e2e/session-bus.ts'
import { AppProcess } from '../../support/faults/app-process.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { linux, type Need, program } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

const window = await prepareWindow()
const electron: Need = () => (window === null ? 'an Electron for this computer' : null)
afterAll(() => window?.close())

const keyring = 'gnome-keyring-daemon'
const password = 'the password of the keyring'
const endProcess = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const needsOfTest = [linux, electron, program('dbus-daemon'), program(keyring)]

testFault('keychain-locked', needsOfTest, async ({ station }) => {
  if (window === null) throw new Error('there is no Electron')
  const faultStation = await station()
  const bus = await SessionBus.start({
    closeAtEnd: (close) => onTestFinished(() => void close()),
    folder: (name) => {
      const folder = path.join(faultStation.station.root, name)
      mkdirSync(folder, { mode: 0o700 })
      return folder
    },
  })
  const startKeyring = (...options: readonly string[]) =>
    bus.serve(
      'org.freedesktop.secrets',
      keyring,
      ['--foreground', '--components=secrets', ...options],
      password,
    )
  const unlockedKeyring = await startKeyring('--unlock')
  const options = { args: ['--password-store=gnome-libsecret'], env: bus.env }
  const first = AppProcess.start(faultStation, window, options)
  await until('the key is in the keychain', () => existsSync(path.join(faultStation.data, 'key.bin')))
  await first.kill('main')
  await endProcess(unlockedKeyring)

  const lockedKeyring = await startKeyring()
  await faultStation.record('take.bin')
  const second = AppProcess.start(faultStation, window, options)
  await faultStation.waitForState('ready')
  await sleep(3_000)
  expect(faultStation.proxy.count(), 'no request is sent without a key').toBe(0)
  await endProcess(lockedKeyring)
  await startKeyring('--unlock')
  await second.kill('main')
  // Start the app again, because Electron reads the keychain only once per start.
  const third = AppProcess.start(faultStation, window, options)
  await faultStation.waitForState('processed')
  await third.kill('main')
  return {}
})
