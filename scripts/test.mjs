import { prepareWindow } from './app.mjs'
import { build, OUT } from './build-steps.mjs'
import { runInPlace } from './child.mjs'
import { command, Refusal, say } from './command.mjs'
import { MACHINE, ROOT, toolScript } from './project.mjs'
import { findNode, noElectronFor } from './runtime.mjs'
import { offerTestPrograms } from './system-libraries.mjs'

const WITHOUT_WINDOW = ['unit', 'contract', 'integration', 'page']
const WITH_WINDOW = ['e2e']
/** By name only: too long for every run. */
const ON_DEMAND = ['soak']
/** Driven by tests: a browser for the page, certificates. */
const TEST_PROGRAMS = [
  { name: 'chromium', packageName: 'chromium' },
  { name: 'openssl', packageName: 'openssl' },
]
/** A session bus, a keychain on it, and what plays a panel that shows tray icons. */
const WINDOW_TEST_PROGRAMS = [
  { name: 'dbus-daemon', packageName: 'dbus' },
  { name: 'gnome-keyring-daemon', packageName: 'gnome-keyring' },
  { name: 'gjs', packageName: 'gjs' },
]
const NEED_WINDOW = new Set(WITH_WINDOW)

await command(
  {
    usage: `npm test [-- PROJECT…], of ${[...WITHOUT_WINDOW, ...WITH_WINDOW, ...ON_DEMAND].join(', ')}`,
    allowPositionals: true,
  },
  async (_, names) => {
    const known = [...WITHOUT_WINDOW, ...WITH_WINDOW, ...ON_DEMAND]
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw new Refusal(`there is no test project "${unknown}"; there are ${known.join(', ')}.`)

    const everything = names.length === 0
    const projects = everything ? [...WITHOUT_WINDOW, ...WITH_WINDOW] : names
    const node = await findNode()
    if (everything) {
      const code = await runInPlace(process.execPath, [`${ROOT}/scripts/check.mjs`], { cwd: ROOT })
      if (code !== 0) throw new Refusal('the checks failed, so no test was run; the reasons are above.')
    }
    await offerTestPrograms(TEST_PROGRAMS, { env: process.env })
    await build()
    const plain = projects.filter((name) => !NEED_WINDOW.has(name))
    const code = plain.length === 0 ? 0 : await vitest(node, plain)
    const windowed = projects.filter((name) => NEED_WINDOW.has(name))
    const windowCode = windowed.length === 0 ? 0 : await vitestWithWindow(node, windowed)
    return code || windowCode
  },
)

/**
 * @param {{ executable: string, env: NodeJS.ProcessEnv }} node
 * @param {readonly string[]} projects
 * @param {NodeJS.ProcessEnv} [extra]
 */
function vitest(node, projects, extra = {}) {
  const args = ['run', ...projects.flatMap((name) => ['--project', name])]
  return runInPlace(node.executable, [toolScript('vitest/vitest.mjs'), ...args], {
    cwd: ROOT,
    env: { ...node.env, SLUICE_COMPILED: OUT, ...extra },
  })
}

/**
 * @param {{ executable: string, env: NodeJS.ProcessEnv }} node
 * @param {readonly string[]} projects
 */
async function vitestWithWindow(node, projects) {
  const window = await prepareWindow()
  if (window === null) {
    say(`the window tests (${projects.join(', ')}) are left out: ${noElectronFor(MACHINE)}`)
    return 0
  }
  await offerTestPrograms(WINDOW_TEST_PROGRAMS, { env: window.env })
  try {
    return await vitest(node, projects, {
      ...(window.env.DISPLAY ? { DISPLAY: window.env.DISPLAY } : {}),
      SLUICE_ELECTRON: window.executable,
      SLUICE_ELECTRON_ARGS: JSON.stringify(window.args),
    })
  } finally {
    window.close()
  }
}
