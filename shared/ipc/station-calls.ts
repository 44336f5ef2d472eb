import type { ShellCallName } from './ipc.ts'

/**
 * The calls about the settings, secrets and log of the station. The main process answers them if it runs the agent
 * itself. A headless agent answers them for every window that attaches to it.
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
