import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { asset, packageMetadata, stageFiles } from './linux-package.mjs'
import { runTool } from './run-tool.mjs'

/**
 * The libraries and programs that Electron needs and a minimal system lacks, under their names in Fedora and RHEL.
 */
const REQUIRES = [
  'alsa-lib',
  'at-spi2-atk',
  'at-spi2-core',
  'cups-libs',
  'gtk3',
  'libXScrnSaver',
  'libXtst',
  'libdrm',
  'libnotify',
  'libsecret',
  'libuuid',
  'libxkbcommon',
  'mesa-libgbm',
  'nss',
  'xdg-utils',
]
const ARCHITECTURES = /** @type {const} */ ({ x64: 'x86_64', arm64: 'aarch64' })

/**
 * Makes an RPM package of an unpacked app. Two builds with the same SOURCE_DATE_EPOCH are identical.
 *
 * @param {import('./linux-package.mjs').LinuxPackageOptions} options
 * @returns {Promise<string>} the path of the package
 */
export const makeRpm = async ({ app, folder, version, arch, isForTests, texts }) => {
  const workFolder = await mkdtemp(path.join(tmpdir(), 'sluice-rpm-'))
  try {
    const architecture = ARCHITECTURES[arch]
    const metadata = await packageMetadata({ version, isForTests })
    const tree = path.join(workFolder, 'tree')
    await mkdir(tree)
    await stageFiles(tree, { app, isForTests, texts, zshCompletions: 'usr/share/zsh/site-functions' })
    const name = `${metadata.name}-${metadata.version}-1.${architecture}.rpm`
    const spec = path.join(workFolder, 'sluice-agent.spec')
    await writeFile(spec, rpmSpec(metadata, { tree, files: await listFiles(tree), ...(await rpmScripts()) }))
    const macros = {
      _topdir: workFolder,
      _tmppath: workFolder,
      // Debian's rpm would create a database in the home folder.
      _dbpath: path.join(workFolder, 'db'),
      _rpmdir: folder,
      _rpmfilename: name,
      // These four macros make the package reproducible.
      _buildhost: 'localhost',
      use_source_date_epoch_as_buildtime: '1',
      clamp_mtime_to_source_date_epoch: '1',
      source_date_epoch_from_changelog: '0',
      // Leave the files unchanged: no stripping, no compression of man pages, no links by build ID.
      __spec_install_post: '%{nil}',
      _build_id_links: 'none',
      debug_package: '%{nil}',
      _binary_payload: 'w3.zstdio',
    }
    const defines = Object.entries(macros).flatMap(([key, value]) => ['--define', `${key} ${value}`])
    await runTool('rpmbuild', '-bb', '--quiet', '--target', architecture, ...defines, spec)
    return path.join(folder, name)
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}

/** Lists the files in `/usr`. The spec names `/opt/Sluice` as a whole. @param {string} tree */
const listFiles = async (tree) => {
  const entries = await readdir(path.join(tree, 'usr'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `/${path.relative(tree, path.join(entry.parentPath, entry.name))}`)
    .toSorted()
}

/**
 * Adapts the scripts of the Debian package, which expect an argument from dpkg, such as `configure`. rpm instead passes
 * the number of versions that stay installed. After a removal, this number is 0.
 */
const rpmScripts = async () => {
  const [postinst, postrm] = await Promise.all(
    ['postinst', 'postrm'].map((name) => readFile(asset(`deb/${name}`), 'utf8')),
  )
  return {
    post: `set -- configure\n${postinst}`,
    postun: `[ "$1" = 0 ] || exit 0\nset -- remove\n${postrm}`,
  }
}

/**
 * Unlike the Debian package, this one needs no `Conflicts: sluice`, because only Debian has a package of that name.
 *
 * @param {import('./linux-package.mjs').Metadata} metadata
 * @param {{ tree: string, files: readonly string[], post: string, postun: string }} content
 */
const rpmSpec = (
  { name, version, summary, description, warning, author, license, homepage },
  { tree, files, post, postun },
) => `Name: ${name}
Version: ${version}
Release: 1
Summary: ${literal(summary)}
License: ${literal(license)}
Vendor: ${literal(author)}
${homepage === null ? '' : `URL: ${literal(homepage)}\n`}AutoReqProv: no
${REQUIRES.map((required) => `Requires: ${required}\n`).join('')}Recommends: libayatana-appindicator-gtk3

%description
${literal(description)}${warning === null ? '' : `\n\n${literal(warning)}`}

%install
mkdir -p %{buildroot}
mv ${literal(tree)}/* %{buildroot}/

%post
${literal(post)}
%postun
${literal(postun)}
%files
%defattr(-,root,root,-)
/opt/Sluice
%dir /usr/share/doc/${name}
${files.join('\n')}
`

/** Escapes the text, so that rpm finds no macro in it. */
const literal = (/** @type {string} */ text) => text.replaceAll('%', '%%')
