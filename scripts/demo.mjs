import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from './building/build-steps.mjs'
import { isStale } from './building/stale.mjs'
import { recordContinuously, recordShift } from './demo/recorder.mjs'
import { followAgent, formatTable } from './demo/report.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { findElectron, findNode } from './runtime/find-runtime.mjs'
import { hasDisplay } from './window/display.mjs'
import { runApp } from './window/open-app.mjs'

/** Like shared/words/demo-words.ts, but with a small first letter, because `log` prints `sluice: ` before it. */
const DEMO_SENTENCE = 'demo: the recorder, its recordings and the service are simulated.'
const SHIFTS_WITH_ONCE = 2
const PAUSE_BETWEEN_SHIFTS_MS = 15_000

await command(
  { usage: 'npm run demo [-- --once]', options: { once: { type: 'boolean' } } },
  async ({ once }) => {
    log(DEMO_SENTENCE)
    const node = await findNode()
    const root = await mkdtemp(path.join(os.tmpdir(), 'sluice-demo-'))
    const sandbox = await startSandbox(node, path.join(root, 'service'))
    try {
      const station = await prepareStation(root, sandbox.address)
      if (once) return await runOnce(node, station)
      log(`the sandbox serves ${sandbox.address.base_url}`)
      log(`a simulated recorder writes to ${station.folder}`)
      const hasWindow = hasDisplay(process.env) && (await findElectron()) !== null
      return await runWhileRecording(station, () =>
        hasWindow ? runWithWindow(station) : runInTerminal(node, station),
      )
    } finally {
      await stop(sandbox.child)
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    }
  },
)

/**
 * Stops the child and waits for its exit. The demo can then remove the folders.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** @typedef {{ base_url: string, keys: { write: string } }} SandboxAddress */
/** @typedef {{ folder: string, data: string, settings: string }} DemoStation */
/** @typedef {{ executable: string, env: NodeJS.ProcessEnv }} NodeRuntime */

/**
 * @param {NodeRuntime} node
 * @param {string} data
 */
async function startSandbox(node, data) {
  const args = [path.join(ROOT, 'sandbox/cli.ts'), '--data', data, '--processing-delay', '2000']
  const child = spawn(node.executable, args, { env: node.env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const text of createInterface({ input: child.stdout }))
    return { child, address: /** @type {SandboxAddress} */ (JSON.parse(text)) }
  throw new ExpectedFailure('the sandbox did not start; its message is above.')
}

/**
 * @param {string} root
 * @param {SandboxAddress} sandbox
 * @returns {Promise<DemoStation>}
 */
async function prepareStation(root, sandbox) {
  const station = {
    folder: path.join(root, 'recordings'),
    data: path.join(root, 'data'),
    settings: path.join(root, 'data', 'settings.json'),
  }
  await mkdir(station.folder, { recursive: true })
  await mkdir(station.data, { recursive: true })
  const settings = {
    service: { base_url: sandbox.base_url, api_key: sandbox.keys.write },
    folders: [{ path: station.folder, site: 'demo-lab', device: 'bench-1', settle_seconds: 2 }],
    follow: { poll_seconds: 1 },
    // The value of DEMO_STATION. The window recognises the demo by this name and shows a banner.
    app: { station_name: 'Demo (simulated)' },
  }
  await writeFile(station.settings, JSON.stringify(settings, null, 2), { mode: 0o600 })
  return station
}

/**
 * @param {NodeRuntime} node
 * @param {DemoStation} station
 */
async function runOnce(node, station) {
  log(`recording ${SHIFTS_WITH_ONCE} short shifts into ${station.folder}`)
  const language = import('./demo/language.mjs').then(({ readLanguage }) => readLanguage())
  const agent = startAgent(node, station)
  agent.stderr.pipe(process.stderr)
  const follower = followAgent(agent)
  const recorderOptions = { folder: station.folder, signal: new AbortController().signal }
  /** @type {string[]} */
  const files = []
  for (let shift = 1; shift <= SHIFTS_WITH_ONCE; shift += 1)
    files.push(...(await recordShift(recorderOptions, shift)))
  const recordings = await follower.waitForEnd(files)
  await stop(agent)
  const { standingWords } = await language
  const words = Object.fromEntries(
    Object.entries(standingWords).map(([standing, { word }]) => [standing, word]),
  )
  process.stdout.write(formatTable(recordings, words))
  return recordings.every(({ standing }) => standing === 'safe') ? 0 : 2
}

/**
 * @param {NodeRuntime} node
 * @param {DemoStation} station
 */
function startAgent(node, station) {
  const args = ['run', '--settings', station.settings, '--data', station.data, '--json']
  return spawn(node.executable, [path.join(ROOT, 'main/cli/cli.ts'), ...args], {
    env: node.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/**
 * @param {DemoStation} station
 * @param {() => Promise<number>} run
 */
async function runWhileRecording({ folder }, run) {
  const end = new AbortController()
  const recorder = recordContinuously({ folder, signal: end.signal }, PAUSE_BETWEEN_SHIFTS_MS)
  try {
    return await run()
  } finally {
    end.abort()
    await recorder
  }
}

/** @param {DemoStation} station */
async function runWithWindow(station) {
  if (isStale()) await build()
  return runApp(['--data', station.data])
}

/**
 * @param {NodeRuntime} node
 * @param {DemoStation} station
 */
async function runInTerminal(node, station) {
  log('no window can open here, so this terminal shows the progress. Ctrl-C ends the demo.')
  // Imported only here, because it loads Vite.
  const { printProgress } = await import('./demo/print-progress.mjs')
  return printProgress(startAgent(node, station))
}
