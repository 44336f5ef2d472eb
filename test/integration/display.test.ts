import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDisplay } from '../../scripts/window/display.mjs'
import { linux, needs, program } from '../support/needs.ts'

const withoutDisplay = () => {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env
  return env
}

test('uses an existing display', async () => {
  const display = await openDisplay({ ...withoutDisplay(), DISPLAY: ':7' })
  expect(display).toMatchObject({ env: {}, isVirtual: false })
})

test(
  'without a display, each run starts its own virtual display and stops it at the end',
  needs(linux, program('Xvfb')),
  async () => {
    const displays = await Promise.all([openDisplay(withoutDisplay()), openDisplay(withoutDisplay())])
    const sockets = displays.map(({ env }) => `/tmp/.X11-unix/X${env.DISPLAY?.slice(1)}`)
    expect(new Set(sockets).size).toBe(2)
    expect(sockets.map((socket) => existsSync(socket))).toEqual([true, true])
    for (const display of displays) display.stop()
    for (let tries = 0; sockets.some((socket) => existsSync(socket)) && tries < 100; tries += 1)
      await wait(50)
    expect(sockets.map((socket) => existsSync(socket))).toEqual([false, false])
  },
)

test('a display that cannot start is reported in one sentence', needs(linux), async () => {
  await expect(openDisplay({ PATH: '/nowhere' })).rejects.toThrow(
    /^the virtual display \(Xvfb\) did not start/,
  )
})
