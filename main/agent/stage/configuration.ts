import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { Settings } from '../../../shared/settings/settings.ts'

/** What the agent is told to work with, all at once: its key and its address belong together. */
export type Configuration = {
  readonly settings: Settings | null
  readonly apiKey: string | null
  readonly systemProxy: SystemProxy
  /** Of every endpoint that may still send events. */
  readonly webhookSecrets?: readonly string[] | undefined
  /** What is wrong with the managed settings, while others hold. */
  readonly managedProblem?: string | null
  /** What the keychain holds for monitoring cannot be read. */
  readonly monitoringLocked?: boolean
}
