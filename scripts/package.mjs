import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from './building/build-steps.mjs'
import { listShippedWith } from './building/list-shipped.mjs'
import { runInPlace } from './launcher/child.mjs'
import { command, Refusal } from './launcher/command.mjs'
import { MACHINE, ROOT, toolScript } from './launcher/project.mjs'
import { findElectron, noElectronFor } from './runtime/find-runtime.mjs'

await command(
  {
    usage: 'npm run package [-- --release] [--into FOLDER]',
    options: { release: { type: 'boolean' }, into: { type: 'string' } },
  },
  async ({ release, into }) => {
    const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), into ?? path.join(ROOT, 'dist'))
    const electron = await findElectron()
    if (electron === null) throw new Refusal(noElectronFor(MACHINE))
    if (release && electron.source === 'fallback')
      throw new Refusal('a release is only made from the official Electron, which cannot be reached here.')
    // Run by a test, it must not build anew what other tests run at this moment.
    if (process.env.SLUICE_COMPILED === undefined) await build()
    const sbom = await listShippedWith(electron)
    const code = await runInPlace(
      process.execPath,
      [
        toolScript('electron-builder/cli.js'),
        '--publish=never',
        `-c.electronDist=${electron.dist}`,
        `-c.directories.output=${folder}`,
        ...(release ? [] : ['--dir']),
      ],
      // Signing is asked for by the release's own settings, never found by chance in a developer's keychain.
      { cwd: ROOT, env: { ...process.env, CSC_IDENTITY_AUTO_DISCOVERY: 'false' } },
    )
    // Beside the package as well, for whoever looks before installing.
    if (code === 0) await copyFile(sbom, path.join(folder, path.basename(sbom)))
    return code
  },
)
