import { APP_ID, MACHINE_FOLDER_ACCESS } from './windows-package.mjs'

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} program in the folder System32, or `Sluice.exe`
 * @property {string} args
 * @property {string} when a condition of Windows Installer
 * @property {'stop' | 'set up'} phase "stop" runs before the files change, "set up" afterwards
 * @property {boolean} [mayFail]
 */

/** The options of a silent roll-out, as in `msiexec /i Sluice.msi /qn SERVICE=1`. */
export const MSI_PROPERTIES = ['SERVICE', 'STARTATLOGIN', 'SETTINGS']

const INSTALLS = 'NOT REMOVE~="ALL"'
/**
 * True if Sluice is removed for good. An update also removes a version, but must keep the tasks and registry entries.
 */
const REMOVES = 'REMOVE~="ALL" AND NOT UPGRADINGPRODUCTCODE'
const RUN_KEY = 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Run'
const CLASS_KEY = `HKLM\\Software\\Classes\\AppUserModelId\\${APP_ID}`
const icacls = (/** @type {string} */ args) => `"[CommonAppDataFolder]Sluice" ${args}`

/**
 * All actions run as SYSTEM. The actions of one phase run in this order.
 *
 * @type {readonly Action[]}
 */
export const MSI_ACTIONS = [
  // Windows locks the files of a running program, so end Sluice. No work is lost: Sluice continues at its next start.
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
  // The next three actions delete the tasks and the registry value that start Sluice.
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
  // Deletes the name that the action `AppName` registers.
  {
    id: 'DeleteAppName',
    program: 'reg.exe',
    args: `delete "${CLASS_KEY}" /f`,
    when: REMOVES,
    phase: 'stop',
    mayFail: true,
  },
  // Before the installation, any user can create %ProgramData%\Sluice and become its owner. The next three actions make
  // Administrators the owner and replace the access list.
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
  // The next three actions copy the settings into a new file, which inherits the access list of the folder. The old
  // file stays until the copy is complete, because `SETTINGS` may name a missing file or the old file itself.
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
  // If the background service is already installed, it keeps its account, see `registeredAccount`.
  {
    id: 'InstallService',
    program: 'Sluice.exe',
    args: '-- service install',
    when: `SERVICE=1 AND ${INSTALLS}`,
    phase: 'set up',
  },
  // After an update, starts the background service again. Fails if there is no service.
  {
    id: 'RunTask',
    program: 'schtasks.exe',
    args: '/Run /TN Sluice',
    when: `NOT SERVICE=1 AND ${INSTALLS}`,
    phase: 'set up',
    mayFail: true,
  },
]
