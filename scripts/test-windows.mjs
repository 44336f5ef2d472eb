import { build } from './building/build-steps.mjs'
import { isStale, OUT } from './building/stale.mjs'
import { runInPlace } from './launcher/child.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { ROOT, toolScript } from './launcher/project.mjs'
import { findNode } from './runtime/find-runtime.mjs'
import { chooseFiles } from './testing/choose-files.mjs'
import { runUnderWine } from './windows/run-under-wine.mjs'
import { thisMachine, wineProblem } from './windows/wine-debian.mjs'

const DEFAULT_PROJECTS = ['unit', 'windows']
/** These projects run only if named, because some of their tests fail under Wine. */
const ON_DEMAND_PROJECTS = ['contract', 'integration']

await command(
  {
    usage: `npm run test:windows [-- PROJECT|FILE…], projects: ${[...DEFAULT_PROJECTS, ...ON_DEMAND_PROJECTS].join(', ')}`,
    allowPositionals: true,
  },
  async (_, positionals) => {
    const allProjects = {
      defaultProjects: DEFAULT_PROJECTS,
      onDemandProjects: ON_DEMAND_PROJECTS,
      root: ROOT,
    }
    const choice = chooseFiles(positionals, { ...allProjects, cwd: process.env.INIT_CWD ?? process.cwd() })
    if ('unknown' in choice) throw new ExpectedFailure(`no project or test file matches "${choice.unknown}".`)
    const isWindows = process.platform === 'win32'
    const problem = isWindows ? null : wineProblem(thisMachine())
    if (problem !== null) throw new ExpectedFailure(problem)

    if (isStale()) await build()
    const projects = choice.projects.flatMap((name) => ['--project', name])
    const args = ['run', ...projects, ...(choice.files ?? [])]
    if (isWindows) {
      const node = await findNode()
      return runInPlace(node.executable, [toolScript('vitest/vitest.mjs'), ...args], {
        cwd: ROOT,
        env: { ...node.env, SLUICE_COMPILED: OUT },
      })
    }
    log('running with Node for Windows under Wine…')
    return runUnderWine(['node_modules\\vitest\\vitest.mjs', ...args], {
      SLUICE_COMPILED: 'Z:\\sluice\\out',
      SLUICE_EMPTY_DRIVE: 'E:\\',
      SLUICE_WINE: 'yes',
      // In the container, Vitest writes to a file, so it cannot detect the terminal itself.
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
    })
  },
)
