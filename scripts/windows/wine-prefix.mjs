import { existsSync } from 'node:fs'
import { mkdir, rename, symlink } from 'node:fs/promises'
import path from 'node:path'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { withWorkFolder } from '../runtime/cache-folder.mjs'
import { runInContainer } from './container.mjs'

const FOLDER = 'wine-prefix-1'

/** The command that sets TEMP or TMP in Wine's registry, because Wine ignores these variables in the environment. */
const setTempCommand = (/** @type {string} */ name) =>
  `wine reg add 'HKCU\\Environment' /v ${name} /d 'D:\\temp' /f`

/** `wineserver -w` waits for the end of Wine's server, which writes the registry only then. */
const SET_UP = `wineboot -i && ${setTempCommand('TEMP')} && ${setTempCommand('TMP')} && wineserver -w`

/**
 * The variables of every program in the container, which inherits none from this computer. `runUnderWine` adds more.
 */
export const WINE_ENV = {
  PATH: '/usr/bin:/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  XDG_RUNTIME_DIR: '/tmp',
  WINEPREFIX: '/prefix',
  WINEDEBUG: '-all',
}

/**
 * Returns the folder with Wine's registry and drive C. The first use sets the folder up, and each run uses it through
 * an overlay. Drive D is the scratch folder of the run, and drive E is empty.
 *
 * @param {string} cache
 * @param {string} debian
 * @returns {Promise<string>}
 */
export const ensureWinePrefix = async (cache, debian) => {
  const folder = path.join(cache, FOLDER)
  if (existsSync(folder)) return folder
  log('setting up Wine, once: half a minute, 0.8 GB…')
  return withWorkFolder(cache, async (work) => {
    const prefix = path.join(work, 'prefix')
    await mkdir(prefix)
    const code = await runInContainer({
      debian,
      mounts: [{ kind: 'bind', from: prefix, to: 'prefix' }],
      command: ['sh', '-c', `{ ${SET_UP}; } > /tmp/set-up 2>&1 || { cat /tmp/set-up; exit 1; }`],
      cwd: '/tmp',
      env: WINE_ENV,
    })
    if (code !== 0) throw new ExpectedFailure(`setting up Wine failed (exit code ${code}).`)
    await symlink('/scratch', path.join(prefix, 'dosdevices/d:'))
    await symlink('/scratch/empty', path.join(prefix, 'dosdevices/e:'))
    await rename(prefix, folder)
    return folder
  })
}
