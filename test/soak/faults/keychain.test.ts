import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished } from 'vitest'
import { prepareWindow } from '../../../scripts/window/open-app.mjs'
import { SessionBus } from '../../e2e/session-bus.ts'
import { AppProcess } from '../../support/faults/app-process.ts'
import { play } from '../../support/faults/play.ts'
import { linux, type Need, program } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

const window = await prepareWindow()
const electron: Need = () => (window === null ? 'an Electron for this computer' : null)
afterAll(() => window?.close())

const keyring = 'gnome-keyring-daemon'
const password = 'the password of the keyring'
const end = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const needed = [linux, electron, program('dbus-daemon'), program(keyring)]

play('keychain-locked', needed, async ({ station }) => {
  if (window === null) throw new Error('there is no Electron')
  const one = await station()
  const bus = await SessionBus.start({
    closeAtEnd: (close) => onTestFinished(() => void close()),
    folder: (name) => {
      const folder = path.join(one.station.root, name)
      mkdirSync(folder, { mode: 0o700 })
      return folder
    },
  })
  const serve = (...more: readonly string[]) =>
    bus.serve('org.freedesktop.secrets', keyring, ['--foreground', '--components=secrets', ...more], password)
  const open = await serve('--unlock')
  const options = { args: ['--password-store=gnome-libsecret'], env: bus.env }
  const first = AppProcess.start(one, window, options)
  await until('the key is in the keychain', () => existsSync(path.join(one.data, 'key.bin')))
  await first.kill('main')
  await end(open)

  const locked = await serve()
  await one.record('take.bin')
  const second = AppProcess.start(one, window, options)
  await one.waitForState('ready')
  await sleep(3_000)
  expect(one.proxy.count(), 'no request is sent without a key').toBe(0)
  await end(locked)
  await serve('--unlock')
  await second.kill('main')
  // Electron reads the keychain once per start: if it was locked then, it stays locked for this process.
  const third = AppProcess.start(one, window, options)
  await one.waitForState('processed')
  await third.kill('main')
  return {}
})
