import type { Settings } from '../settings/settings.ts'
import type { Status } from '../status/status.ts'
import type { AgentCallName, CallAnswer } from './ipc.ts'

/**
 * What the system says to use for the service's address. Nobody can ask it from a terminal, and nobody needs to where
 * the settings name a proxy themselves; `direct` is an answer, and no leave to look for a proxy elsewhere.
 */
export type SystemProxy =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'direct' }
  | { readonly kind: 'url'; readonly url: string }

/** Everything that the agent works with, in one message: a key belongs to its address. A restarted agent gets it again. */
export type Configuration = {
  readonly settings: Settings | null
  readonly apiKey: string | null
  readonly systemProxy: SystemProxy
  /** The secrets of every endpoint that may still send events. */
  readonly webhookSecrets?: readonly string[] | undefined
  /** Why the managed settings cannot be used, while the last good ones apply. */
  readonly managedProblem?: string | null
  /** The keychain with the monitoring secrets cannot be read. */
  readonly monitoringLocked?: boolean
  /** Whether the PC runs on battery. Null if the agent has to find out. */
  readonly onBattery?: boolean | null
}

/** Messages between the main process and the agent process. The key and the webhook secrets travel here, in memory, and nowhere else. */
export type ToAgent =
  | ({ readonly kind: 'configure' } & Configuration)
  | { readonly kind: 'call'; readonly id: number; readonly name: AgentCallName; readonly args: unknown }
  /** The PC woke up or the network changed: every open socket is presumed dead. */
  | { readonly kind: 'reconnect'; readonly reason: string }
  /** Answered from the agent's event loop: one that does not answer serves nothing else either. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'shutdown' }

/** The agent ends itself with this exit code when its journal is damaged: the next start mends it. */
export const DAMAGED_JOURNAL_EXIT = 3

export type FromAgent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: CallAnswer<unknown> }
  | { readonly kind: 'status'; readonly status: Status }
  /** The agent cannot run at all (journal in use, folder not writable): a sentence for a person. */
  | { readonly kind: 'cannot-run'; readonly message: string }
