import { moveStation } from './move-station.ts'
import type { ServicePlan } from './service-files.ts'
import {
  installUnit,
  makeAccount,
  ownerOf,
  startUnit,
  stopUnit,
  systemdFor,
  uninstallUnit,
  unitFileOf,
  unitState,
} from './service-manager.ts'
import {
  installTask,
  makeDataFolder,
  startTask,
  stopTask,
  taskState,
  uninstallTask,
  windowsOptions,
} from './windows-task.ts'

/** The operations of this system's service manager that the commands need. */
export type ServiceControl = {
  /**
   * Installs the service, or replaces it. Moves the station in `from` into it first. `hint` is null, or why the service
   * starts only at sign-in or cannot install updates.
   */
  readonly install: (plan: ServicePlan, from: string | null) => { unit: string; hint: string | null }
  /** False if there was no service. */
  readonly uninstall: () => boolean
  /** Restarts a running service. */
  readonly start: () => void
  readonly stop: () => void
  /** `active` is null if only the agent itself can show that it runs. */
  readonly state: () => {
    readonly installed: boolean
    readonly enabled: boolean
    readonly active: boolean | null
  }
}

const systemdControl = (isUser: boolean): ServiceControl => {
  const options = systemdFor(isUser)
  return {
    install: (plan, from) => {
      const { account } = plan
      if (account !== null) makeAccount(options, account)
      if (from !== null && account !== null) moveStation(from, plan.dataFolder, ownerOf(options, account))
      return { unit: unitFileOf(options), hint: installUnit(plan, options) }
    },
    uninstall: () => uninstallUnit(options),
    start: () => startUnit(options),
    stop: () => stopUnit(options),
    state: () => unitState(options),
  }
}

const taskControl = (): ServiceControl => {
  const options = windowsOptions()
  return {
    install: (plan, from) => {
      makeDataFolder(plan, options)
      // Moved files inherit the access list of the folder.
      if (from !== null) moveStation(from, plan.dataFolder, null)
      return { unit: 'Sluice', hint: installTask(plan, options) }
    },
    uninstall: () => uninstallTask(options),
    start: () => startTask(options),
    stop: () => stopTask(options),
    state: () => ({ ...taskState(options), active: null }),
  }
}

/** Throws an Error for the user on a system whose service manager Sluice does not control. */
export const serviceControl = (isUser: boolean): ServiceControl => {
  switch (process.platform) {
    case 'linux':
      return systemdControl(isUser)
    case 'win32':
      return taskControl()
    default:
      throw new Error(
        'This command works on Linux and Windows. Print the file for this system with: sluice service install --print',
      )
  }
}
