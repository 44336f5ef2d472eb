import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { build } from './building/build-steps.mjs'
import { isStale, OUT } from './building/stale.mjs'
import { exitCodeOf, runInPlace } from './launcher/child.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { MACHINE, ROOT, toolScript } from './launcher/project.mjs'
import { describeMissingElectron, findNode } from './runtime/find-runtime.mjs'
import { installForTests } from './runtime/system-libraries.mjs'
import { chooseFiles } from './testing/choose-files.mjs'
import { openMemoryFolder } from './testing/memory-folder.mjs'
import { openDisplay } from './window/display.mjs'
import { prepareWindow } from './window/open-app.mjs'

const DEFAULT_PROJECTS = ['unit', 'contract', 'integration', 'page', 'e2e']
/** These projects run only if named, because they take long. */
const ON_DEMAND_PROJECTS = ['long', 'soak']
const FAULTS = 'test/soak/faults/'
const PROJECTS_WITH_WINDOW = ['e2e', 'long']
const PROJECTS_WITH_BROWSER = ['page', 'long']
/**
 * Projects whose tests start the app. `soak` is not in `PROJECTS_WITH_WINDOW`, because its tests call `prepareWindow`
 * themselves.
 */
const PROJECTS_WITH_ELECTRON = [...PROJECTS_WITH_WINDOW, 'soak']
/** Back ends of the server. */
const SERVER_PROGRAMS = [
  { name: 'pg_ctlcluster', packageName: 'postgresql' },
  { name: 'swift-proxy-server', packageName: 'swift-proxy' },
  { name: 'swift-account-server', packageName: 'swift-account' },
  { name: 'swift-container-server', packageName: 'swift-container' },
  { name: 'swift-object-server', packageName: 'swift-object' },
]
/** Tests mount simulated drives with bindfs. */
const DRIVE_PROGRAMS = [{ name: 'bindfs', packageName: 'bindfs' }]
const PACKAGE_PROGRAMS = [
  { name: 'rpmbuild', packageName: 'rpm' },
  { name: 'apt-ftparchive', packageName: 'apt-utils' },
  { name: 'createrepo_c', packageName: 'createrepo-c' },
  { name: 'makensis', packageName: 'nsis' },
  { name: 'wixl', packageName: 'wixl' },
  { name: 'msiinfo', packageName: 'msitools' },
  { name: '7z', packageName: 'p7zip-full' },
  { name: 'osslsigncode', packageName: 'osslsigncode' },
  { name: 'debootstrap', packageName: 'debootstrap' },
]
const BROWSER_PROGRAMS = [{ name: 'chromium', packageName: 'chromium' }]
/** A session bus, a keychain, and gjs for a simulated panel that shows tray icons. */
const ELECTRON_TEST_PROGRAMS = [
  { name: 'dbus-daemon', packageName: 'dbus' },
  { name: 'gnome-keyring-daemon', packageName: 'gnome-keyring' },
  { name: 'gjs', packageName: 'gjs' },
]
/** The cache of compiled modules that all agents and sandboxes of a run share. */
const COMPILE_CACHE = `${ROOT}/node_modules/.cache/sluice-compiled`
const DISPLAY_PROGRAMS = [{ name: 'Xvfb', packageName: 'xvfb' }]
/** The reliability page names at most this many selected faults. For more, it shows `--fault NAME…`. */
const MAX_SHOWN_FAULTS = 5

await command(
  {
    usage: `npm test [-- PROJECT|FILE… [-t NAME]], projects: ${[...DEFAULT_PROJECTS, ...ON_DEMAND_PROJECTS].join(', ')}; npm run soak [-- --fault NAME…]`,
    options: {
      fault: { type: 'string', multiple: true },
      testNamePattern: { type: 'string', short: 't' },
    },
    allowPositionals: true,
  },
  async ({ fault: faultNames, testNamePattern }, positionals) => {
    if (faultNames !== undefined && testNamePattern !== undefined)
      throw new ExpectedFailure('--fault and -t both choose tests by name; use one of them.')
    const namePattern = faultNames === undefined ? testNamePattern : await faultPattern(faultNames)
    const selection = faultNames === undefined ? positionals : [...positionals, FAULTS]
    const allProjects = {
      defaultProjects: DEFAULT_PROJECTS,
      onDemandProjects: ON_DEMAND_PROJECTS,
      root: ROOT,
    }
    const choice = chooseFiles(selection, { ...allProjects, cwd: process.env.INIT_CWD ?? process.cwd() })
    if ('unknown' in choice)
      throw new ExpectedFailure(
        `no project or test file matches "${choice.unknown}"; projects: ${[...DEFAULT_PROJECTS, ...ON_DEMAND_PROJECTS].join(', ')}.`,
      )

    const { projects, files } = choice
    const isWholeRun = selection.length === 0 && namePattern === undefined
    const includesAny = (/** @type {readonly string[]} */ names) =>
      names.some((project) => projects.includes(project))
    await installForTests(
      [
        ...(includesAny(ON_DEMAND_PROJECTS)
          ? [...DRIVE_PROGRAMS, ...SERVER_PROGRAMS, ...PACKAGE_PROGRAMS]
          : []),
        ...(includesAny(PROJECTS_WITH_ELECTRON) ? ELECTRON_TEST_PROGRAMS : []),
      ],
      {
        needsBrowser: includesAny(PROJECTS_WITH_BROWSER),
        needsElectron: includesAny(PROJECTS_WITH_ELECTRON),
        env: process.env,
      },
    )
    const node = await findNode()
    const checks = isWholeRun ? startChecks() : Promise.resolve(null)
    // `SLUICE_COMPILED` means that a test started this script. A build would replace files that other tests use.
    if (process.env.SLUICE_COMPILED === undefined && (files === null || isStale())) await build()
    const window = includesAny(PROJECTS_WITH_WINDOW) ? await prepareTestWindow() : null
    const memory = includesAny(ON_DEMAND_PROJECTS) ? null : openMemoryFolder()
    const args = [
      'run',
      // `long*` also matches the Vitest projects `long-page` and `long-attached`, `soak*` also `soak-fleet`.
      ...projects.flatMap((name) => ['--project', ON_DEMAND_PROJECTS.includes(name) ? `${name}*` : name]),
      ...(files ?? []),
      ...(namePattern === undefined ? [] : ['--testNamePattern', namePattern]),
    ]
    try {
      const code = await runInPlace(node.executable, [toolScript('vitest/vitest.mjs'), ...args], {
        cwd: ROOT,
        env: {
          ...node.env,
          SLUICE_COMPILED: OUT,
          NODE_COMPILE_CACHE: COMPILE_CACHE,
          SLUICE_SOAK_COMMAND: soakCommand(faultNames ?? []),
          ...window?.env,
          ...(memory === null ? {} : { TMPDIR: memory.folder }),
        },
      })
      const errors = await checks
      if (errors === null) return code
      process.stdout.write(errors)
      throw new ExpectedFailure('the checks failed; see the errors above.')
    } finally {
      window?.close()
      memory?.remove()
    }
  },
)

/**
 * Runs the checks in parallel with the tests, because the tests often leave the processor idle. Prints the output when
 * the checks end. The caller prints the output of failed checks again at the end of the run.
 *
 * @returns {Promise<string | null>} the output if a check failed, otherwise null
 */
async function startChecks() {
  const child = spawn(process.execPath, [`${ROOT}/scripts/check.mjs`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const [code] = await Promise.all([exitCodeOf(child, 'scripts/check.mjs'), once(child.stdout, 'end')])
  process.stdout.write(output)
  return code === 0 ? null : output
}

/** The soak command with these faults, for the reliability page. @param {readonly string[]} faultNames */
function soakCommand(faultNames) {
  const shown = faultNames.length > MAX_SHOWN_FAULTS ? ['NAME…'] : faultNames
  return [
    'npm run soak',
    ...(shown.length === 0 ? [] : ['--', ...shown.map((name) => `--fault ${name}`)]),
  ].join(' ')
}

/** A name pattern that matches only the tests of these faults. @param {readonly string[]} faultNames */
async function faultPattern(faultNames) {
  const { faults } = await import('../test/soak/faults/table.mjs')
  const allNames = faults.map(({ name }) => /** @type {string} */ (name))
  const unknown = faultNames.find((name) => !allNames.includes(name))
  if (unknown !== undefined)
    throw new ExpectedFailure(`unknown fault "${unknown}"; faults: ${allNames.join(', ')}.`)
  return `^\\s*(${faultNames.join('|')})$`
}

/**
 * Prepares Electron. If this machine has no Electron, prepares a browser and a display for the stand-in
 * (`test/stand-in`).
 *
 * @returns {Promise<{ env: NodeJS.ProcessEnv, close: () => void }>}
 */
async function prepareTestWindow() {
  const electron = await prepareWindow()
  if (electron !== null) {
    const { DISPLAY } = electron.env
    const env = {
      ...(DISPLAY ? { DISPLAY } : {}),
      SLUICE_ELECTRON: electron.executable,
      SLUICE_ELECTRON_ARGS: JSON.stringify(electron.args),
    }
    return { env, close: electron.close }
  }
  log(describeMissingElectron(MACHINE))
  log(
    'the window tests run with a stand-in for Electron; tests of the real tray, keychain and start are skipped.',
  )
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  const needsDisplay = !DISPLAY && !WAYLAND_DISPLAY
  await installForTests([...BROWSER_PROGRAMS, ...(needsDisplay ? DISPLAY_PROGRAMS : [])], {
    env: process.env,
  })
  const display = await openDisplay(process.env)
  return { env: { ...display.env, SLUICE_STAND_IN: 'yes' }, close: display.stop }
}
