import { hostname } from 'node:os'
import path from 'node:path'
import { systemClock } from '../../../shared/clock/clock.ts'
import { ownVersion } from '../../agent/platform/process/own-version.ts'
import { installStaged } from '../../agent/update/install-staged.ts'
import { managedFileOf, readManagedFile } from '../../managed/managed-file.ts'
import { defineCommand } from '../program/command.ts'
import { makeInstallerFolder, windowsOptions } from '../service/windows-task.ts'
import { readOwnSettings } from '../settings-file.ts'
import { ownFileOf } from '../station-settings.ts'
import { printLine } from '../terminal.ts'
import { installRules } from './install-rules.ts'

export const updateInstallCommand = defineCommand({
  name: 'update install',
  group: 'setup',
  summary: 'on Windows: install the update that the background service has downloaded',
  about: [
    'The scheduled task “Sluice Update” runs this command as SYSTEM when the background service requests it. The command copies the installer to a folder that only administrators may change, checks the copy against the signed feed, and starts it silently. It installs only the version that the settings of the station allow, and never an older one. It installs nothing while the managed settings cannot be read.',
  ],
  data: 'named',
  options: {},
  json: null,
  exits: { 0: 'the installer was started', 1: 'nothing was installed' },
  examples: ['sluice update install --data C:\\ProgramData\\Sluice\\data'],
  run: async (input) => {
    if (process.platform !== 'win32') throw new Error('Sluice installs its own updates only on Windows.')
    const version = ownVersion()
    if (version === null) throw new Error('The version of this program is unknown.')
    // No option of this command names another file, because only the default file may set the key of the feed.
    const managed = readManagedFile(managedFileOf(process.platform, process.env))
    const own = readOwnSettings(ownFileOf({ data: input.data, text: () => null }))
    const installed = await installStaged(
      {
        staged: path.join(input.data, 'updates'),
        own: path.join(path.dirname(path.resolve(input.data)), 'updates'),
        makeOwn: (folder) => makeInstallerFolder(folder, windowsOptions()),
        ...installRules(managed, own.settings),
        program: { version, system: process.platform, machine: process.arch, hostName: hostname() },
        nowMs: systemClock.wallMs(),
        warn: (sentence) => printLine(sentence, process.stderr),
      },
      // `/S` installs without a window. With `/updater`, the installer waits for this process, ends all other processes
      // of Sluice, and starts the background service again.
      ['/S', `/updater=${process.pid}`],
    )
    printLine(`The installer of version ${installed} runs.`)
    return 0
  },
})
