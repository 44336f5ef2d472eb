import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Resvg } from '@resvg/resvg-js'
import { ExpectedFailure } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'

const run = promisify(execFile)

/** Debian already has a package named `sluice`. */
const NAME = 'sluice-agent'
const ICON_WIDTHS = [16, 24, 32, 48, 64, 128, 256, 512]
/** The libraries that Electron links or loads. A minimal system lacks them. */
const DEPENDS = [
  'libasound2 | libasound2t64',
  'libatk-bridge2.0-0 | libatk-bridge2.0-0t64',
  'libatspi2.0-0 | libatspi2.0-0t64',
  'libcups2 | libcups2t64',
  'libdrm2',
  'libgbm1',
  'libgtk-3-0 | libgtk-3-0t64',
  'libnotify4',
  'libnss3',
  'libsecret-1-0',
  'libuuid1',
  'libxkbcommon0',
  'libxss1',
  'libxtst6',
  'xdg-utils',
]
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/sluice',
  zsh: 'usr/share/zsh/vendor-completions/_sluice',
  fish: 'usr/share/fish/vendor_completions.d/sluice.fish',
}

/**
 * Makes a Debian package of an unpacked app, with Debian's own tool. electron-builder would download a different tool.
 *
 * @param {{ app: string, folder: string, version: string, isForTests: boolean }} given
 * @returns {Promise<string>} the path of the package
 */
export const makeDeb = async ({ app, folder, version, isForTests }) => {
  const tree = await mkdtemp(path.join(tmpdir(), 'sluice-deb-'))
  try {
    const architecture = (await tool('dpkg', '--print-architecture')).trim()
    const debVersion = isForTests ? `${version}~fortests` : version
    await chmod(tree, 0o755)
    await copyFiles(tree, app)
    await writeControl(tree, { version: debVersion, architecture, isForTests })
    const file = path.join(folder, `${NAME}_${debVersion}_${architecture}.deb`)
    await run('chmod', ['-R', 'u+rwX,go+rX,go-w', tree])
    await tool('dpkg-deb', '--root-owner-group', '-Zzstd', '-z9', '--build', tree, file)
    return file
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}

/** @param {string} tree @param {string} app */
const copyFiles = async (tree, app) => {
  const at = async (/** @type {string} */ name) => {
    const file = path.join(tree, name)
    await mkdir(path.dirname(file), { recursive: true })
    return file
  }
  await cp(app, await at('opt/Sluice'), { recursive: true, verbatimSymlinks: true })
  await cp(asset('linux/apparmor-profile'), await at('opt/Sluice/resources/apparmor-profile'))
  await cp(asset('linux/sluice.desktop'), await at('usr/share/applications/sluice.desktop'))
  // In a terminal, `sluice` starts the launcher, because the app itself needs a display and does not run as root.
  await symlink('/opt/Sluice/resources/bin/sluice', await at('usr/bin/sluice'))
  await cp(path.join(ROOT, 'LICENSE'), await at(`usr/share/doc/${NAME}/copyright`))
  const svg = await readFile(asset('app.svg'), 'utf8')
  for (const width of ICON_WIDTHS)
    await writeFile(
      await at(`usr/share/icons/hicolor/${width}x${width}/apps/sluice.png`),
      new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render().asPng(),
    )
  const program = path.join(app, 'resources/bin/sluice')
  for (const [shell, name] of Object.entries(COMPLETIONS))
    await writeFile(await at(name), await tool(program, 'completion', shell))
  await writeFile(
    await at('usr/share/man/man1/sluice.1.gz'),
    // Debian's policy requires compression level 9 and no timestamp.
    gzipSync(manPage(await tool(program, 'help')), { level: 9 }),
  )
}

/** @param {string} tree @param {{ version: string, architecture: string, isForTests: boolean }} given */
const writeControl = async (tree, { version, architecture, isForTests }) => {
  const { description, author } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
  const folder = path.join(tree, 'DEBIAN')
  await mkdir(folder)
  const size = (await tool('du', '-sk', '--exclude=DEBIAN', tree)).split('\t')[0]
  const fields = {
    Package: NAME,
    Version: version,
    Architecture: architecture,
    Maintainer: author,
    'Installed-Size': size,
    Depends: DEPENDS.join(', '),
    Recommends: 'libayatana-appindicator3-1',
    // Both packages contain /usr/bin/sluice.
    Conflicts: 'sluice',
    Section: 'utils',
    Priority: 'optional',
    Description: `Ingest agent for recording stations\n ${description}${isForTests ? '\n .\n For tests only: its Electron is repackaged by a third party.' : ''}`,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  await writeFile(path.join(folder, 'control'), lines.join(''))
  for (const script of await readdir(asset('deb'))) {
    await cp(asset(`deb/${script}`), path.join(folder, script))
    await chmod(path.join(folder, script), 0o755)
  }
}

const manPage = (/** @type {string} */ help) => `.TH SLUICE 1
.SH NAME
sluice \\- ingest agent for recording stations
.SH SYNOPSIS
.B sluice
[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]
.SH DESCRIPTION
Without a command, sluice starts the app with its window and tray icon. With a command, it needs no display.
.SH COMMANDS
.nf
${help.replaceAll('\\', '\\e').replace(/^([.'])/gm, '\\&$1')}.fi
`

const asset = (/** @type {string} */ name) => path.join(ROOT, 'assets', name)

/** @param {string} program @param {string[]} args */
const tool = async (program, ...args) => {
  try {
    return (await run(program, args, { maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { stderr = '', message } = /** @type {{ stderr?: string, message: string }} */ (error)
    throw new ExpectedFailure(`${path.basename(program)} failed: ${stderr.trim() || message}`)
  }
}
