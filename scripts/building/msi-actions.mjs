import { APP_ID, MACHINE_FOLDER_ACCESS } from './windows-package.mjs'

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} program in the folder System32, or `Sluice.exe`
 * @property {string} args
 * @property {string} when a condition of Windows Installer
 * @property {'stop' | 'set up'} phase stop: before files are removed or replaced; set up: after the files are in place
 * @property {boolean} [mayFail]
 */

/** The options of a silent roll-out, as in `msiexec /i Sluice.msi /qn SERVICE=1`. */
export const MSI_PROPERTIES = ['SERVICE', 'STARTATLOGIN', 'SETTINGS']

const INSTALLS = 'NOT REMOVE~="ALL"'
/**
 * True if Sluice is removed for good. An update also removes the earlier version, but keeps its tasks and registry
 * entries.
 */
const REMOVES = 'REMOVE~="ALL" AND NOT UPGRADINGPRODUCTCODE'
const RUN_KEY = 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Run'
const CLASS_KEY = `HKLM\\Software\\Classes\\AppUserModelId\\${APP_ID}`
const icacls = (/** @type {string} */ args) => `"[CommonAppDataFolder]Sluice" ${args}`

/**
 * All run as SYSTEM, in this order.
 *
 * @type {readonly Action[]}
 */
export const MSI_ACTIONS = [
  // A running program keeps its files locked. Sluice continues after its next start, as it does after a power cut.
  {
    id: 'EndTask',
    program: 'schtasks.exe',
    args: '/End /TN Sluice',
    when: '1',
    phase: 'stop',
    mayFail: true,
  },
  {
    id: 'EndPrograms',
    program: 'taskkill.exe',
    args: '/F /IM Sluice.exe',
    when: '1',
    phase: 'stop',
    mayFail: true,
  },
  // If these tasks and this registry value stayed after a removal, they would start a program that is gone.
  {
    id: 'DeleteTask',
    program: 'schtasks.exe',
    args: '/Delete /TN Sluice /F',
    when: REMOVES,
    phase: 'stop',
    mayFail: true,
  },
  {
    id: 'DeleteUpdateTask',
    program: 'schtasks.exe',
    args: '/Delete /TN "Sluice Update" /F',
    when: REMOVES,
    phase: 'stop',
    mayFail: true,
  },
  {
    id: 'DeleteStartAtLogin',
    program: 'reg.exe',
    args: `delete "${RUN_KEY}" /v Sluice /f`,
    when: REMOVES,
    phase: 'stop',
    mayFail: true,
  },
  // Deletes the name that `AppName` registers.
  {
    id: 'DeleteAppName',
    program: 'reg.exe',
    args: `delete "${CLASS_KEY}" /f`,
    when: REMOVES,
    phase: 'stop',
    mayFail: true,
  },
  // Every user may create folders in %ProgramData%, so a user may already own this one.
  {
    id: 'FolderOwner',
    program: 'icacls.exe',
    args: icacls(MACHINE_FOLDER_ACCESS.owner),
    when: INSTALLS,
    phase: 'set up',
  },
  {
    id: 'FolderReset',
    program: 'icacls.exe',
    args: icacls(MACHINE_FOLDER_ACCESS.reset),
    when: INSTALLS,
    phase: 'set up',
  },
  {
    id: 'FolderGrant',
    program: 'icacls.exe',
    args: icacls(MACHINE_FOLDER_ACCESS.grant),
    when: INSTALLS,
    phase: 'set up',
  },
  // A new file inherits the access list of its folder, an overwritten file would keep its own. The old file stays until the
  // copy is complete: the source may be missing by now, or be this very file.
  {
    id: 'DeleteCopy',
    program: 'cmd.exe',
    args: '/d /c del /q "[CommonAppDataFolder]Sluice\\settings.json.new"',
    when: `SETTINGS AND ${INSTALLS}`,
    phase: 'set up',
    mayFail: true,
  },
  {
    id: 'CopySettings',
    program: 'cmd.exe',
    args: '/d /c copy /y "[SETTINGS]" "[CommonAppDataFolder]Sluice\\settings.json.new"',
    when: `SETTINGS AND ${INSTALLS}`,
    phase: 'set up',
  },
  {
    id: 'PlaceSettings',
    program: 'cmd.exe',
    args: '/d /c move /y "[CommonAppDataFolder]Sluice\\settings.json.new" "[CommonAppDataFolder]Sluice\\settings.json"',
    when: `SETTINGS AND ${INSTALLS}`,
    phase: 'set up',
  },
  {
    id: 'StartAtLogin',
    program: 'reg.exe',
    args: `add "${RUN_KEY}" /v Sluice /d "\\"[INSTALLDIR]Sluice.exe\\" --hidden" /f`,
    when: `STARTATLOGIN=1 AND ${INSTALLS}`,
    phase: 'set up',
  },
  // Notifications show this name.
  {
    id: 'AppName',
    program: 'reg.exe',
    args: `add "${CLASS_KEY}" /v DisplayName /d Sluice /f`,
    when: INSTALLS,
    phase: 'set up',
    mayFail: true,
  },
  // If a service is already installed, this keeps its account.
  {
    id: 'InstallService',
    program: 'Sluice.exe',
    args: '-- service install',
    when: `SERVICE=1 AND ${INSTALLS}`,
    phase: 'set up',
  },
  // After an update, starts the service again: it then runs the new program. Without a service, this action may fail.
  {
    id: 'RunTask',
    program: 'schtasks.exe',
    args: '/Run /TN Sluice',
    when: `NOT SERVICE=1 AND ${INSTALLS}`,
    phase: 'set up',
    mayFail: true,
  },
]
