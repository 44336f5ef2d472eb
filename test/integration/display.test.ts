import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/launcher/project.mjs'
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

test('a command ends at once if its display cannot start', needs(linux), () => {
  const script = `import(process.argv[1]).then(({ openDisplay }) => openDisplay({ PATH: '/nowhere' })).catch(() => {})`
  const display = pathToFileURL(path.join(ROOT, 'scripts/window/display.mjs')).href
  // Shorter than the time limit for a display, so the test fails if the command waits for that limit.
  execFileSync(process.execPath, ['-e', script, display], { timeout: 10_000 })
})
