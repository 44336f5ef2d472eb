import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../launcher/project.mjs'
import { asset } from './linux-package.mjs'
import { runTool } from './run-tool.mjs'
import { OUT } from './stale.mjs'
import { APP_ID, MACHINE_FOLDER_ACCESS, numbersOf } from './windows-package.mjs'

/**
 * Makes the installer of `assets/windows/installer.nsi`. electron-builder's NSIS target would download its own tools.
 *
 * @param {import('./windows-package.mjs').WindowsPackageOptions} options
 * @returns {Promise<string>} the path of the installer
 */
export const makeNsis = async ({ app, folder, work, version, displayName, publisher, isRelease }) => {
  const file = path.join(folder, `Sluice-Setup-${version}-x64.exe`)
  const files = path.join(work, 'uninstall-files.nsh')
  const entries = (await readdir(app, { withFileTypes: true })).filter((entry) => entry.isFile())
  await writeFile(
    files,
    entries
      .map(({ name }) => `Delete "$INSTDIR\\${name}"\n`)
      .toSorted()
      .join(''),
  )
  const sizeKb = (await runTool('du', '-sk', '--apparent-size', app)).split('\t')[0] ?? '0'
  const defines = {
    APP: app,
    APP_ID,
    DISPLAY_NAME: displayName,
    PUBLISHER: publisher,
    VERSION: version,
    NUMBERS: numbersOf(version),
    OUT_FILE: file,
    ICON: path.join(OUT, 'icons/app.ico'),
    LICENCE: path.join(ROOT, 'LICENSE'),
    FILES: files,
    SIZE_KB: sizeKb,
    UNINSTALL_KEY: 'Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Sluice',
    // Only a release uses lzma, because it takes minutes.
    COMPRESSOR: isRelease ? '/SOLID lzma' : 'zlib',
    ACCESS_OWNER: MACHINE_FOLDER_ACCESS.owner,
    ACCESS_RESET: MACHINE_FOLDER_ACCESS.reset,
    ACCESS_GRANT: MACHINE_FOLDER_ACCESS.grant,
  }
  // NSIS reads the definitions from a file, because its command line cannot quote every value.
  const definitions = path.join(work, 'definitions.nsh')
  const lines = Object.entries(defines).map(([name, value]) =>
    name === 'COMPRESSOR' ? `!define ${name} "${value}"\n` : `!define ${name} '${value}'\n`,
  )
  await writeFile(definitions, lines.join(''))
  await runTool(
    'makensis',
    '-V2',
    '-WX',
    '-INPUTCHARSET',
    'UTF8',
    definitions,
    asset('windows/installer.nsi'),
  )
  return file
}
