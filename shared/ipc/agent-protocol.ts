import type { Settings } from '../settings/settings.ts'
import type { Status } from '../status/status.ts'
import type { AgentCallName, CallAnswer } from './ipc.ts'

/**
 * The system's proxy for the service's address. `unknown`: the system was not asked. `direct`: the system has no proxy
 * that Sluice supports, so the agent must not look for a proxy elsewhere.
 */
export type SystemProxy =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'direct' }
  | { readonly kind: 'url'; readonly url: string }

/**
 * The whole configuration in one message, so that the agent never combines a key with a different service address. A
 * restarted agent gets the message again.
 */
export type Configuration = {
  readonly settings: Settings | null
  readonly apiKey: string | null
  readonly systemProxy: SystemProxy
  /** The secrets of every webhook endpoint that may still send events. */
  readonly webhookSecrets?: readonly string[] | undefined
  /** Why the managed settings or the key file cannot be used. The last good managed settings still apply. */
  readonly managedProblem?: string | null
  /** True if Sluice cannot read the monitoring secrets from the keychain. */
  readonly monitoringLocked?: boolean
  /** Whether the PC runs on battery. Null or missing if the agent has to check this itself. */
  readonly onBattery?: boolean | null
  /** `updates.feed_key` of the managed settings. Null: only the keys in the app may sign the update feed. */
  readonly feedKey?: string | null
}

/**
 * Messages from the main process to the agent that it runs. This agent gets the key and the webhook secrets only from
 * these messages, never from a file.
 */
export type ToAgent =
  | ({ readonly kind: 'configure' } & Configuration)
  | { readonly kind: 'call'; readonly id: number; readonly name: AgentCallName; readonly args: unknown }
  /** The PC woke up or the network changed: the agent treats every open socket as dead. */
  | { readonly kind: 'reconnect'; readonly reason: string }
  /** The agent answers from its event loop. No answer means that the loop is blocked. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'shutdown' }

/** The agent's exit code for a damaged journal. The next start restores the last backup or starts a new journal. */
export const DAMAGED_JOURNAL_EXIT = 3

/** An agent exits with this code after an update. Its service manager then starts the new version. */
export const RESTART_EXIT = 4

export type FromAgent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: CallAnswer<unknown> }
  | { readonly kind: 'status'; readonly status: Status }
  /** The agent cannot run at all (journal in use, folder not writable). The window shows `message` to the user. */
  | { readonly kind: 'cannot-run'; readonly message: string }
