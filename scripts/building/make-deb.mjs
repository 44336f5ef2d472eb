import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { asset, packageMetadata, stageFiles } from './linux-package.mjs'
import { runTool } from './run-tool.mjs'

/** The libraries that Electron links or loads, and the programs that it runs. A minimal system does not have them. */
export const DEPENDS = [
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

/**
 * Makes a Debian package of an unpacked app. Uses Debian's own tool, because electron-builder would download one.
 *
 * @param {import('./linux-package.mjs').LinuxPackageOptions} options
 * @returns {Promise<string>} the path of the package
 */
export const makeDeb = async ({ app, folder, version, arch, isForTests, texts }) => {
  const tree = await mkdtemp(path.join(tmpdir(), 'sluice-deb-'))
  try {
    const architecture = arch === 'x64' ? 'amd64' : arch
    const metadata = await packageMetadata({ version, isForTests })
    await stageFiles(tree, { app, isForTests, texts, zshCompletions: 'usr/share/zsh/vendor-completions' })
    await writeControl(tree, metadata, architecture)
    const file = path.join(folder, `${metadata.name}_${metadata.version}_${architecture}.deb`)
    await runTool('dpkg-deb', '--root-owner-group', '-Zzstd', '-z9', '--build', tree, file)
    return file
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}

/** @param {string} tree @param {import('./linux-package.mjs').Metadata} metadata @param {string} architecture */
const writeControl = async (
  tree,
  { name, version, summary, description, warning, author, homepage },
  architecture,
) => {
  const folder = path.join(tree, 'DEBIAN')
  const size = await installedSize(tree)
  await mkdir(folder)
  const fields = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: author,
    'Installed-Size': String(size),
    Depends: DEPENDS.join(', '),
    Recommends: 'libayatana-appindicator3-1',
    // Debian's own package `sluice` also contains /usr/bin/sluice.
    Conflicts: 'sluice',
    Section: 'utils',
    Priority: 'optional',
    ...(homepage === null ? {} : { Homepage: homepage }),
    Description: `${summary}\n ${description}${warning === null ? '' : `\n .\n ${warning}`}`,
  }
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`)
  await writeFile(path.join(folder, 'control'), lines.join(''))
  await chmod(path.join(folder, 'control'), 0o644)
  for (const script of await readdir(asset('deb'))) {
    await cp(asset(`deb/${script}`), path.join(folder, script))
    await chmod(path.join(folder, script), 0o755)
  }
  await chmod(folder, 0o755)
}

/**
 * The size in KiB, as dpkg-gencontrol counts it: a file by its length, everything else as 1. The result of `du` can
 * differ between two builds of the same commit.
 *
 * @param {string} tree
 */
const installedSize = async (tree) => {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries.map(async (entry) =>
      entry.isFile() ? Math.ceil((await lstat(path.join(entry.parentPath, entry.name))).size / 1024) : 1,
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
