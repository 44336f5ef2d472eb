import type { ShellCallName } from './ipc.ts'

/**
 * The calls about the settings, secrets and log of the station. The main process answers them if it runs the agent
 * itself, otherwise the agent answers them.
 */
export const stationCallNames = [
  'getSettings',
  'saveSettings',
  'getSecretStorage',
  'saveKey',
  'forgetKey',
  'getWebhookEndpoints',
  'registerWebhook',
  'forgetWebhooks',
  'saveMonitoringSecret',
  'forgetMonitoringSecret',
  'listLogLines',
  'makeSupportReport',
] as const satisfies readonly ShellCallName[]

export type StationCallName = (typeof stationCallNames)[number]
