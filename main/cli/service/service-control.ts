import { existsSync } from 'node:fs'
import { hintAboutKey } from './key-hint.ts'
import { moveStation, refuseImpossibleMove } from './move-station.ts'
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

/** What the commands need from the service manager of this system. */
export type ServiceControl = {
  /**
   * Installs or replaces the service. First moves the station in `from` to the data folder of the service. `hint` says
   * why the service starts only at sign-in, cannot install updates or has no key; otherwise it is null.
   */
  readonly install: (plan: ServicePlan, from: string | null) => { unit: string; hint: string | null }
  /** Returns false if no service was installed. */
  readonly uninstall: () => boolean
  /** Starts the service, or restarts it if it runs. */
  readonly start: () => void
  readonly stop: () => void
  /** `active` is null if the service manager does not report whether the service runs. */
  readonly state: () => {
    readonly installed: boolean
    readonly enabled: boolean
    readonly active: boolean | null
  }
}

const hintFor = (plan: ServicePlan, windowFolder: string | null, hint: string | null): string | null => {
  const keyHint = windowFolder === null ? null : hintAboutKey(windowFolder, plan)
  return [hint, keyHint].filter((sentence) => sentence !== null).join(' ') || null
}

const systemdControl = (isUser: boolean): ServiceControl => {
  const options = systemdFor(isUser)
  return {
    install: (plan, from) => {
      const { account } = plan
      if (account !== null) makeAccount(options, account)
      if (from !== null && account !== null) moveStation(from, plan.dataFolder, ownerOf(options, account))
      const windowFolder = isUser ? plan.dataFolder : from
      return { unit: unitFileOf(options), hint: hintFor(plan, windowFolder, installUnit(plan, options)) }
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
      // Create the folder before the move, because the moved files inherit its access list.
      if (from !== null) moveStation(from, plan.dataFolder, null)
      return { unit: 'Sluice', hint: hintFor(plan, from, installTask(plan, options)) }
    },
    uninstall: () => uninstallTask(options),
    start: () => startTask(options),
    stop: () => stopTask(options),
    state: () => ({ ...taskState(options), active: null }),
  }
}

/**
 * Removes the service, and then moves its station to the folder `to`, unless `to` is null. Returns false if there was
 * no service. If the move is impossible, throws an Error for the user and keeps the service.
 */
export const uninstallService = (
  { uninstall }: Pick<ServiceControl, 'uninstall'>,
  { from, to }: { readonly from: string; readonly to: string | null },
): boolean => {
  if (to === null) return uninstall()
  if (!existsSync(to)) throw new Error(`There is no folder ${to}.`)
  refuseImpossibleMove(from, to)
  const wasInstalled = uninstall()
  moveStation(from, to, null)
  return wasInstalled
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
        'Sluice controls the background service only on Linux and Windows. To print a service definition that you can register yourself, run: sluice service install --print',
      )
  }
}
