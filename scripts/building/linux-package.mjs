import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { Resvg } from '@resvg/resvg-js'
import { ROOT } from '../launcher/project.mjs'
import { findNode } from '../runtime/find-runtime.mjs'
import { programFile } from './programs.mjs'
import { homepage } from './release-checks.mjs'
import { runTool, runToolWith } from './run-tool.mjs'
import { OUT } from './stale.mjs'

/** Not `sluice`, because Debian already has a package of that name. */
const NAME = 'sluice-agent'
const ICON_WIDTHS = [16, 24, 32, 48, 64, 128, 256, 512]

/**
 * @typedef {object} Metadata
 * @property {string} name
 * @property {string} version a pre-release or a test package sorts before the release
 * @property {string} summary
 * @property {string} description
 * @property {string | null} warning
 * @property {string} author
 * @property {string} license
 * @property {string | null} homepage
 */

/**
 * @typedef {object} LinuxPackageOptions
 * @property {string} app the unpacked app
 * @property {string} folder the folder of the package
 * @property {string} version
 * @property {'x64' | 'arm64'} arch
 * @property {boolean} isForTests
 * @property {CommandTexts} texts
 */

/** @typedef {{ help: string, completions: Readonly<Record<'bash' | 'zsh' | 'fish', string>> }} CommandTexts */

/**
 * Runs the bundle with this machine's Node, because the packaged app may be for another processor.
 *
 * @returns {Promise<CommandTexts>}
 */
export const commandTexts = async () => {
  const { executable, env } = await findNode()
  const run = (/** @type {string[]} */ ...args) =>
    runToolWith({ env }, executable, programFile(OUT, 'main/cli/cli.ts'), ...args)
  return {
    help: await run('help'),
    completions: {
      bash: await run('completion', 'bash'),
      zsh: await run('completion', 'zsh'),
      fish: await run('completion', 'fish'),
    },
  }
}

/**
 * @param {{ version: string, isForTests: boolean }} options
 * @returns {Promise<Metadata>}
 */
export const packageMetadata = async ({ version, isForTests }) => {
  const { description, author, license } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
  return {
    name: NAME,
    // Both package managers sort `1.0.0~rc.1` before `1.0.0`. A hyphen would begin the revision of the package.
    version: version.replaceAll('-', '~'),
    summary: 'Ingest agent for recording stations',
    description,
    warning: isForTests ? 'For tests only: this is not a release.' : null,
    author,
    license,
    homepage: homepage(),
  }
}

/**
 * Copies every file of the package into the folder `tree`, at its installed path.
 *
 * @param {string} tree
 * @param {{ app: string, isForTests: boolean, texts: CommandTexts, zshCompletions: string }} options
 *   `zshCompletions` is the folder for zsh, which differs between Debian and Fedora
 */
export const stageFiles = async (tree, { app, isForTests, texts, zshCompletions }) => {
  const targetFile = async (/** @type {string} */ name) => {
    const file = path.join(tree, name)
    await mkdir(path.dirname(file), { recursive: true })
    return file
  }
  await cp(app, await targetFile('opt/Sluice'), { recursive: true, verbatimSymlinks: true })
  await cp(asset('linux/apparmor-profile'), await targetFile('opt/Sluice/resources/apparmor-profile'))
  const desktopFile = await readFile(asset('linux/sluice.desktop'), 'utf8')
  await writeFile(
    await targetFile('usr/share/applications/sluice.desktop'),
    isForTests ? desktopFile.replace(/^Name=Sluice$/m, 'Name=Sluice (for tests only)') : desktopFile,
  )
  // Link the launcher, not the app: the app needs a display and does not run as root.
  await symlink('/opt/Sluice/resources/bin/sluice', await targetFile('usr/bin/sluice'))
  await cp(path.join(ROOT, 'LICENSE'), await targetFile(`usr/share/doc/${NAME}/copyright`))
  const svg = await readFile(asset('app.svg'), 'utf8')
  for (const width of ICON_WIDTHS)
    await writeFile(
      await targetFile(`usr/share/icons/hicolor/${width}x${width}/apps/sluice.png`),
      new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render().asPng(),
    )
  const completionFiles = {
    bash: 'usr/share/bash-completion/completions/sluice',
    zsh: path.join(zshCompletions, '_sluice'),
    fish: 'usr/share/fish/vendor_completions.d/sluice.fish',
  }
  for (const shell of /** @type {const} */ (['bash', 'zsh', 'fish']))
    await writeFile(await targetFile(completionFiles[shell]), texts.completions[shell])
  await writeFile(
    await targetFile('usr/share/man/man1/sluice.1.gz'),
    // Debian's policy requires level 9 and no timestamp.
    gzipSync(manPage(texts.help), { level: 9 }),
  )
  await runTool('chmod', '-R', 'u+rwX,go+rX,go-w', tree)
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

export const asset = (/** @type {string} */ name) => path.join(ROOT, 'assets', name)
