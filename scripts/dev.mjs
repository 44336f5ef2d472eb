import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import path from 'node:path'
import { requireWindow } from './app.mjs'
import { build } from './build-steps.mjs'
import { command } from './command.mjs'
import { ROOT, toolScript } from './project.mjs'

/** Compilers write many files for one edit. */
const QUIET_MS = 300

const WATCHERS = [
  [toolScript('typescript/bin/tsc'), '-p', 'scripts/tsconfig.build.json', '--watch', '--preserveWatchOutput'],
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

/** The page reloads itself in place; a change to main, agent or preload starts the app again. */
await command({ usage: 'npm run dev' }, async () => {
  await build()
  const window = await requireWindow()
  // Loaded late: a tree without packages is told so in one sentence.
  const { createServer } = await import('vite')
  const server = await createServer({
    configFile: path.join(ROOT, 'vite.config.ts'),
    root: path.join(ROOT, 'renderer'),
    server: { host: '127.0.0.1' },
  })
  await server.listen()
  const pageUrl = server.resolvedUrls?.local[0] ?? ''
  const compilers = WATCHERS.map((args) =>
    spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] }),
  )

  const code = await runRestarting(() =>
    spawn(window.executable, [ROOT, ...window.args], {
      stdio: 'inherit',
      env: { ...window.env, SLUICE_PAGE_URL: pageUrl },
    }),
  )
  for (const compiler of compilers) compiler.kill()
  await server.close()
  window.close()
  return code
})

/**
 * Until the app is closed by a person or a signal.
 *
 * @param {() => import('node:child_process').ChildProcess} start
 * @returns {Promise<number>}
 */
function runRestarting(start) {
  return new Promise((resolve) => {
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    let restarting = false
    let app = start()
    const watchers = ['main', 'shared', 'sandbox', 'preload'].map((folder) =>
      watch(path.join(ROOT, 'out', folder), { recursive: true }, () => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          restarting = true
          app.kill()
        }, QUIET_MS)
      }),
    )
    const onExit = (/** @type {number | null} */ code) => {
      if (restarting) {
        restarting = false
        app = start()
        app.once('exit', onExit)
        return
      }
      for (const watcher of watchers) watcher.close()
      clearTimeout(timer)
      resolve(code ?? 1)
    }
    app.once('exit', onExit)
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => app.kill())
  })
}
