import { build } from './building/build-steps.mjs'
import { isStale, OUT } from './building/stale.mjs'
import { runInPlace } from './launcher/child.mjs'
import { command, Refusal, say } from './launcher/command.mjs'
import { MACHINE, ROOT, toolScript } from './launcher/project.mjs'
import { findNode, noElectronFor } from './runtime/find-runtime.mjs'
import { offerPageBrowser, offerTestPrograms } from './runtime/system-libraries.mjs'
import { chooseFiles } from './testing/choose-files.mjs'
import { openDisplay } from './window/display.mjs'
import { prepareWindow } from './window/open-app.mjs'

const IN_EVERY_RUN = ['unit', 'contract', 'integration', 'page', 'e2e']
/** By name only: too long for every run. */
const ON_DEMAND = ['long', 'soak']
/** Where the faults of the soak are played. */
const FAULTS = 'test/soak/faults/'
const WITH_WINDOW = 'e2e'
const WITH_BROWSER = 'page'
const WITH_DRIVES = 'long'
/** A drive whose answers come from a process that can be stopped. */
const DRIVE_PROGRAMS = [{ name: 'bindfs', packageName: 'bindfs' }]
const BROWSER_PROGRAMS = [{ name: 'chromium', packageName: 'chromium' }]
/** A session bus, a keychain on it, and what plays a panel that shows tray icons. */
const ELECTRON_TEST_PROGRAMS = [
  { name: 'dbus-daemon', packageName: 'dbus' },
  { name: 'gnome-keyring-daemon', packageName: 'gnome-keyring' },
  { name: 'gjs', packageName: 'gjs' },
]
/** Some hundred agents and sandboxes start in a run: the same modules are parsed once for all of them. */
const COMPILE_CACHE = `${ROOT}/node_modules/.cache/sluice-compiled`
const DISPLAY_PROGRAMS = [{ name: 'Xvfb', packageName: 'xvfb' }]

await command(
  {
    usage: `npm test [-- PROJECT|FILE…], of ${[...IN_EVERY_RUN, ...ON_DEMAND].join(', ')}; npm run soak [-- --fault NAME…]`,
    options: { fault: { type: 'string', multiple: true } },
    allowPositionals: true,
  },
  async ({ fault: named }, given) => {
    const chosen = named === undefined ? null : await chooseFaults(named)
    const typed = chosen === null ? given : [...given, FAULTS]
    const where = { inEveryRun: IN_EVERY_RUN, onDemand: ON_DEMAND, root: ROOT }
    const choice = chooseFiles(typed, { ...where, cwd: process.env.INIT_CWD ?? process.cwd() })
    if ('unknown' in choice)
      throw new Refusal(
        `no test file and no project is "${choice.unknown}"; projects are ${[...IN_EVERY_RUN, ...ON_DEMAND].join(', ')}.`,
      )

    const { projects, files } = choice
    const everything = typed.length === 0
    const node = await findNode()
    // Beside what is set up and built: neither takes both cores.
    const checks = everything
      ? runInPlace(process.execPath, [`${ROOT}/scripts/check.mjs`], { cwd: ROOT })
      : Promise.resolve(0)
    if (projects.includes(WITH_BROWSER)) await offerPageBrowser({ env: process.env })
    if (projects.includes(WITH_DRIVES)) await offerTestPrograms(DRIVE_PROGRAMS, { env: process.env })
    // Run by a test of its own, it must not build anew what other tests run at this moment.
    if (process.env.SLUICE_COMPILED === undefined && (files === null || isStale())) await build()
    if ((await checks) !== 0)
      throw new Refusal('the checks failed, so no test was run; the reasons are above.')
    const window = projects.includes(WITH_WINDOW) ? await windowForTests() : null
    const args = [
      'run',
      ...projects.flatMap((name) => ['--project', name]),
      ...(files ?? []),
      ...(chosen === null ? [] : ['--testNamePattern', chosen]),
    ]
    try {
      return await runInPlace(node.executable, [toolScript('vitest/vitest.mjs'), ...args], {
        cwd: ROOT,
        env: {
          ...node.env,
          SLUICE_COMPILED: OUT,
          NODE_COMPILE_CACHE: COMPILE_CACHE,
          SLUICE_SOAK_COMMAND: commandOf(named ?? []),
          ...window?.env,
        },
      })
    } finally {
      window?.close()
    }
  },
)

/** As somebody else would type it. @param {readonly string[]} named */
function commandOf(named) {
  const words = named.length === 0 ? [] : ['--', ...named.map((name) => `--fault ${name}`)]
  return ['npm run soak', ...words].join(' ')
}

/** The pattern of the named faults, and of no other test. @param {readonly string[]} named */
async function chooseFaults(named) {
  const { faults } = await import('../test/soak/faults/table.mjs')
  const names = faults.map(({ name }) => /** @type {string} */ (name))
  const unknown = named.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Refusal(`no fault is "${unknown}"; there are ${names.join(', ')}.`)
  return `^\\s*(${named.join('|')})$`
}

/**
 * Electron where there is one, else the stand-in for it in `test/stand-in`, on a display.
 *
 * @returns {Promise<{ env: NodeJS.ProcessEnv, close: () => void }>}
 */
async function windowForTests() {
  const electron = await prepareWindow()
  if (electron !== null) {
    await offerTestPrograms(ELECTRON_TEST_PROGRAMS, { env: electron.env })
    const { DISPLAY } = electron.env
    const env = {
      ...(DISPLAY ? { DISPLAY } : {}),
      SLUICE_ELECTRON: electron.executable,
      SLUICE_ELECTRON_ARGS: JSON.stringify(electron.args),
    }
    return { env, close: electron.close }
  }
  say(noElectronFor(MACHINE))
  say(
    'the window tests run with a stand-in for it; those of its tray, its keychain and its start are left out.',
  )
  await offerTestPrograms(BROWSER_PROGRAMS, { env: process.env })
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  if (!DISPLAY && !WAYLAND_DISPLAY) await offerTestPrograms(DISPLAY_PROGRAMS, { env: process.env })
  const display = await openDisplay(process.env)
  return { env: { ...display.env, SLUICE_STAND_IN: 'yes' }, close: display.stop }
}
