import { existsSync } from 'node:fs'
import { mkdir, rename, symlink } from 'node:fs/promises'
import path from 'node:path'
import { Refusal, say } from '../launcher/command.mjs'
import { withWorkFolder } from '../runtime/cache-folder.mjs'
import { runInRoom } from './namespace.mjs'

const FOLDER = 'wine-prefix-1'

/** Wine takes these from its registry, whatever the environment says. */
const temporaryFolder = (/** @type {string} */ name) =>
  `wine reg add 'HKCU\\Environment' /v ${name} /d 'D:\\temp' /f`

/** Its registry is written when its server ends. */
const SET_UP = `wineboot -i && ${temporaryFolder('TEMP')} && ${temporaryFolder('TMP')} && wineserver -w`

/** Everything a program in the room gets: nothing of this computer's own environment. */
export const WINE_ENV = {
  PATH: '/usr/bin:/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  XDG_RUNTIME_DIR: '/tmp',
  WINEPREFIX: '/prefix',
  WINEDEBUG: '-all',
}

/**
 * A Windows that was set up once: its registry and its drive C. Runs get it with their own changes laid over it. Drive
 * D is the run's scratch folder on the disk, drive E an empty one.
 *
 * @param {string} cache
 * @param {string} debian
 * @returns {Promise<string>}
 */
export const ensureWinePrefix = async (cache, debian) => {
  const folder = path.join(cache, FOLDER)
  if (existsSync(folder)) return folder
  say('setting Wine up, once: half a minute, 0.8 GB…')
  return withWorkFolder(cache, async (work) => {
    const prefix = path.join(work, 'prefix')
    await mkdir(prefix)
    const code = await runInRoom({
      debian,
      mounts: [{ kind: 'bind', from: prefix, to: 'prefix' }],
      command: ['sh', '-c', `{ ${SET_UP}; } > /tmp/set-up 2>&1 || { cat /tmp/set-up; exit 1; }`],
      cwd: '/tmp',
      env: WINE_ENV,
    })
    if (code !== 0) throw new Refusal(`Wine could not be set up (exit code ${code}).`)
    await symlink('/scratch', path.join(prefix, 'dosdevices/d:'))
    await symlink('/scratch/empty', path.join(prefix, 'dosdevices/e:'))
    await rename(prefix, folder)
    return folder
  })
}
