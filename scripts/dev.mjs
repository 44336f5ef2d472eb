import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import path from 'node:path'
import { build } from './building/build-steps.mjs'
import { END_SIGNALS, startTree, stopTree } from './launcher/child.mjs'
import { command } from './launcher/command.mjs'
import { ROOT, toolScript } from './launcher/project.mjs'
import { ALLOW_FALLBACK } from './runtime/fallback-electron.mjs'
import { requireWindowFor } from './window/open-app.mjs'

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** The app restarts when no file has changed for this long, because the compilers write many files per edit. */
const RESTART_DELAY_MS = 300

const COMPILERS = [
  [path.join(ROOT, 'scripts/building/bundle.mjs'), '--watch'],
  [
    toolScript('vite/bin/vite.js'),
    'build',
    '--watch',
    '--config',
    'preload/vite.config.ts',
    '--logLevel',
    'warn',
  ],
]

const options = { [ALLOW_FALLBACK.slice(2)]: /** @type {const} */ ({ type: 'boolean' }) }
await command({ usage: `npm run dev [-- ${ALLOW_FALLBACK}]`, options }, async (values) => {
  const args = values[ALLOW_FALLBACK.slice(2)] ? [ALLOW_FALLBACK] : []
  const window = await requireWindowFor(args, { commandStart: 'npm run dev --', cwd: ROOT })
  await build()
  const server = await servePage()
  const compilers = COMPILERS.map((args) =>
    startTree(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  // Not in `finally`: on SIGTERM, Vite ends the process and skips it.
  process.once('exit', () => compilers.forEach(stopTree))
  try {
    return await runWithRestarts(() =>
      spawn(window.executable, [ROOT, ...window.args], {
        stdio: 'inherit',
        env: { ...window.env, SLUICE_PAGE_URL: server.resolvedUrls?.local[0] ?? '' },
      }),
    )
  } finally {
    await server.close()
    window.close()
  }
})

async function servePage() {
  // Imported here, so that `command` can report missing packages first.
  const { createServer } = await import('vite')
  const server = await createServer({
    configFile: path.join(ROOT, 'vite.config.ts'),
    root: path.join(ROOT, 'renderer'),
    server: { host: '127.0.0.1' },
  })
  return server.listen()
}

/**
 * Runs the app until the user or a signal closes it, and restarts it after a change of its code.
 *
 * @param {() => ChildProcess} start
 * @returns {Promise<number>}
 */
function runWithRestarts(start) {
  return new Promise((resolve) => {
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    let isRestarting = false
    /** @type {ChildProcess} */
    let app

    const run = () => {
      app = start()
      app.once('exit', (code) => {
        if (!isRestarting) return finish(code ?? 1)
        isRestarting = false
        run()
      })
      app.once('error', () => finish(1))
    }
    const restart = () => {
      isRestarting = true
      app.kill()
    }
    const stop = () => {
      isRestarting = false
      app.kill()
    }
    const watcher = watch(path.join(ROOT, 'out'), { recursive: true }, (_, file) => {
      // Restart only for files that Electron loads. The page has its own hot reload.
      if (!/^(main|preload)\b.*\.c?js$/.test(file ?? '')) return
      clearTimeout(timer)
      timer = setTimeout(restart, RESTART_DELAY_MS)
    })
    const finish = (/** @type {number} */ code) => {
      watcher.close()
      clearTimeout(timer)
      for (const signal of END_SIGNALS) process.off(signal, stop)
      resolve(code)
    }
    for (const signal of END_SIGNALS) process.on(signal, stop)
    run()
  })
}
