import path from 'node:path'
import { systemClock } from '../../../shared/clock/clock.ts'
import { ownVersion } from '../../agent/platform/process/own-version.ts'
import { installStaged } from '../../agent/update/install-staged.ts'
import { releaseKeys } from '../../agent/update/release-keys.ts'
import { managedFileOf, readManagedFile } from '../../managed/managed-file.ts'
import { defineCommand } from '../program/command.ts'
import { printLine } from '../terminal.ts'

/** Silent. The installer starts the service again. */
const INSTALLER_ARGS = ['/S'] as const

/** Only the file of the administrators counts here, so there is no option for a different one. */
const feedKeys = (): readonly string[] => {
  const read = readManagedFile(managedFileOf(process.platform, process.env))
  const key = read.kind === 'good' ? read.managed.updates?.feed_key : undefined
  return key === undefined ? releaseKeys : [key]
}

export const updateInstallCommand = defineCommand({
  name: 'update install',
  group: 'setup',
  summary: 'on Windows: install the update that the service has downloaded',
  about: [
    'The scheduled task “Sluice Update” runs this command as the system when the service asks for it. The command copies the installer to a folder that only administrators may change, checks the copy against the signed feed, and starts it silently. It never installs an older version.',
  ],
  data: 'named',
  options: {},
  json: null,
  exits: { 0: 'the installer was started', 1: 'nothing was installed' },
  examples: ['sluice update install --data C:\\ProgramData\\Sluice\\agent'],
  run: async (input) => {
    if (process.platform !== 'win32')
      throw new Error('On this system, the package manager installs updates of Sluice.')
    const version = ownVersion()
    if (version === null) throw new Error('The version of this program is unknown.')
    const installed = await installStaged(
      {
        staged: path.join(input.data, 'updates'),
        own: path.join(path.dirname(path.resolve(input.data)), 'updates'),
        keys: feedKeys(),
        program: { version, system: process.platform, machine: process.arch },
        nowMs: systemClock.wallMs(),
      },
      INSTALLER_ARGS,
    )
    printLine(`The installer of version ${installed} runs.`)
    return 0
  },
})
