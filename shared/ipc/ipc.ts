import { z } from 'zod'
import { type KnownEndpoint, newEndpoint, type ReceiverState } from '../contract/webhooks.ts'
import { monitoringSecretNames } from '../settings/monitoring-secrets.ts'
import { newMonitoringSecret } from '../settings/monitoring-settings.ts'
import {
  afterUploadSchema,
  apiKeySchema,
  type DraftSettings,
  type SettingsInput,
  serviceAddress,
} from '../settings/settings.ts'
import { type ActivityPage, activityGroups } from '../status/activity.ts'
import {
  type Nights,
  problemCodes,
  type RecordingDetail,
  type RecordingPage,
  recordingStates,
  type SessionListPage,
  type SessionSummary,
  type Status,
  standings,
  type Throughput,
} from '../status/status.ts'
import type { Licence } from './licences.ts'
import type { MonitoringState, SentNow } from './monitoring.ts'
import { type LogPage, logLevels, logSources } from './program-log.ts'
import type { RemovalPreview } from './removal-preview.ts'
import type { SettingsReading } from './settings-reading.ts'
import type { Finding } from './station-check.ts'
import type { SupportFacts } from './support.ts'
import type { System } from './system.ts'

/**
 * Every call between the page, the main process and the agent, declared once. The preload bridge, the
 * handlers in main, the relay to the agent and the argument checks all derive from this table, so a channel
 * name is never typed twice and an unchecked handler cannot exist.
 */

type Call<By extends 'shell' | 'agent', Args extends z.ZodType, Result> = {
  /** Who answers: the main process itself, or the agent process behind it. */
  readonly by: By
  readonly args: Args
  /** Never present at run time; carries the type of the answer. */
  readonly result?: Result
}

const answeredBy =
  <By extends 'shell' | 'agent'>(by: By) =>
  <Result>() =>
  <Args extends z.ZodType>(args: Args): Call<By, Args, Result> => ({ by, args })

const shell = answeredBy('shell')
const agent = answeredBy('agent')

const nothing = z.undefined()
const recordingId = z.number().int().positive()
const ids = z.strictObject({ ids: z.array(recordingId).min(1).max(100_000) })
const instant = z.iso.datetime()

const recordingFilter = z.strictObject({
  text: z.string().max(500).default(''),
  states: z.array(z.enum(recordingStates)).max(recordingStates.length).default([]),
  problem: z.enum(problemCodes).optional(),
  /** Only those that stand there, as the status counts them. */
  standings: z.array(z.enum(standings)).max(standings.length).default([]),
  /** Only what waits from this recording on, in the order in which it is sent. */
  queuedFrom: recordingId.optional(),
  folder: z.string().max(4096).optional(),
  from: instant.optional(),
  to: instant.optional(),
})

const recordingOrder = recordingFilter.extend({
  sort: z.enum(['found', 'name', 'state', 'bytes', 'changed']).default('found'),
  descending: z.boolean().default(true),
  /** Those that need someone stand before all others. */
  pinned: z.boolean().default(false),
})

const recordingQuery = recordingOrder.extend({
  outline: z.boolean().default(false),
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(500).default(100),
})

/** By name, or all that the filters leave when the act begins: a hundred thousand are not named one by one. */
const chosen = z.union([ids, z.strictObject({ matching: recordingFilter })])

/** What became of an act on recordings. */
export type ActOutcome = {
  /** How many it was done to; to the others there was nothing to do. */
  readonly acted: number
  readonly skipped: number
  /** Takes it back, while nothing else has been done since; null for what cannot be taken back. */
  readonly undo: number | null
}
export type ActProgress = { readonly done: number; readonly total: number }

const sessionQuery = z.strictObject({
  site: z.string().max(256).optional(),
  status: z.enum(['uploading', 'uploaded', 'processing', 'processed', 'failed']).optional(),
  createdFrom: instant.optional(),
  createdBefore: instant.optional(),
  cursor: z.string().max(4096).optional(),
  limit: z.number().int().min(1).max(500).default(50),
})

const activityQuery = z.strictObject({
  groups: z.array(z.enum(activityGroups)).max(activityGroups.length).default([]),
  text: z.string().max(500).default(''),
  from: instant.optional(),
  to: instant.optional(),
  /** The id of the last entry that is known: what is older than it. */
  before: z.string().max(100).nullable().default(null),
  limit: z.number().int().min(1).max(500).default(100),
})

const logQuery = z.strictObject({
  levels: z.array(z.enum(logLevels)).max(logLevels.length).default([]),
  sources: z.array(z.enum(logSources)).max(logSources.length).default([]),
  text: z.string().max(500).default(''),
  older: z.string().max(400).nullable().default(null),
  limit: z.number().int().min(1).max(500).default(200),
})
const receiptOf = z.union([ids, z.strictObject({ since: instant, until: instant })])

export type KeyVerdict =
  | { readonly kind: 'write' | 'read' | 'wrong' | 'unreadable-answer'; readonly live: boolean | null }
  | { readonly kind: 'unreachable'; readonly live: boolean | null; readonly detail: string }

export type FolderVerdict =
  | { readonly ok: true; readonly warning: string | null; readonly files: number; readonly bytes: number }
  | { readonly ok: false; readonly reason: string }

export type AppInfo = {
  readonly version: string
  readonly electron: string
  readonly node: string
  readonly platform: string
  readonly system: System
  readonly dataFolder: string
  readonly logFolder: string
  readonly settingsFile: string
  readonly hasTray: boolean
  /** Why Sluice will not start at login although it should, in a sentence. */
  readonly loginTrouble: string | null
}

export type SecretStorage = {
  readonly available: boolean
  readonly backend: string
  /** False where the system only scrambles the key (no keychain): the person has to agree first. */
  readonly protects: boolean
  /** The addresses that a key is kept for: another one gets none of them. */
  readonly keyFor: readonly string[]
  /** Where the key comes from instead of the keychain. */
  readonly outside?: 'managed' | 'file' | 'environment'
}

export type SettingsState = {
  readonly settings: DraftSettings
  /**
   * Set when the file could not be read, and the app runs on the last good settings, or when the address in it may
   * not be used by this very app.
   */
  readonly damage: string | null
  /** Where an administrator has rolled out settings: what they hold cannot be changed here. */
  readonly managed?: ManagedView
}

export type ManagedView = {
  readonly file: string
  /** "folders", "service", "transfer.parallel_parts". */
  readonly locked: readonly string[]
  /** Why the file cannot be used, while the last good one holds. */
  readonly problem: string | null
}

export type SaveSettingsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly issues: readonly { readonly path: string; readonly message: string }[] }

/** While the agent is not running, the page keeps what it shows. */
export type AgentHealth = {
  readonly state: 'starting' | 'running' | 'restarting'
  readonly restarts: number
  /** Why the agent cannot run at all, in a sentence for a person; it is tried again all the same. */
  readonly trouble?: string
}

/** The service of the try-out, where the station uses it. */
export type SandboxHealth =
  | { readonly state: 'off' }
  | { readonly state: 'running'; readonly baseUrl: string }
  | { readonly state: 'stopped'; readonly reason: string }

export const calls = {
  getStatus: agent<Status>()(nothing),
  listRecordings: agent<RecordingPage>()(recordingQuery),
  getRecording: agent<RecordingDetail | null>()(z.strictObject({ id: recordingId })),
  getThroughput: agent<Throughput>()(z.strictObject({ span: z.enum(['10m', '24h']) })),
  listActivity: agent<ActivityPage>()(activityQuery),
  /** Thirty nights of the station and seven of each folder. */
  getNights: agent<Nights>()(nothing),
  /** Nothing is to come from this folder in the night that begins on that day. */
  dismissSilence: agent<null>()(z.strictObject({ path: z.string().max(4096), night: z.iso.date() })),
  pause: agent<null>()(z.strictObject({ until: instant.nullable() })),
  resume: agent<null>()(nothing),
  /** At which row of the list it stands; null where the filters leave it out. */
  locateRecording: agent<number | null>()(recordingOrder.extend({ id: recordingId })),
  retryRecordings: agent<ActOutcome>()(chosen),
  prioritiseRecordings: agent<ActOutcome>()(chosen),
  pauseRecordings: agent<ActOutcome>()(chosen),
  resumeRecordings: agent<ActOutcome>()(chosen),
  /** "Set aside": the state stays, the problem no longer asks for anybody. */
  dismissRecordings: agent<ActOutcome>()(chosen),
  undoAct: agent<ActOutcome>()(z.strictObject({ undo: z.number().int().positive() })),
  /** Of the act on recordings that is under way. */
  getActProgress: agent<ActProgress | null>()(nothing),
  /** Everything that shares a problem at once, because ten thousand ids are not selected by hand. */
  retryProblem: agent<null>()(z.strictObject({ code: z.enum(problemCodes) })),
  /** A person's word that the station belongs to the key's organisation from now on. */
  acceptOrganisation: agent<null>()(nothing),
  acceptReplacedFolder: agent<null>()(z.strictObject({ path: z.string().max(4096) })),
  listSessions: agent<SessionListPage>()(sessionQuery),
  getSession: agent<SessionSummary>()(z.strictObject({ id: z.string().max(200) })),
  deleteSession: agent<null>()(z.strictObject({ id: z.string().max(200), typed: z.literal('delete') })),
  testKey: agent<KeyVerdict>()(
    z.strictObject({ baseUrl: z.string().max(2048), apiKey: apiKeySchema.optional() }),
  ),
  /** §4.7. Asked by the main process, which keeps the secret. */
  createWebhookEndpoint: agent<{ readonly id: string; readonly secret: string }>()(
    newEndpoint.extend({ idempotencyKey: z.uuid() }),
  ),
  getReceiver: agent<ReceiverState>()(nothing),
  getMonitoring: agent<MonitoringState>()(nothing),
  /** To the URLs that are in force. */
  sendHeartbeat: agent<SentNow>()(nothing),
  sendTestAlert: agent<SentNow>()(nothing),
  /** Looks at everything once, which takes seconds; a file is written into each folder for a moment. */
  checkStation: agent<readonly Finding[]>()(nothing),
  makeReceipt: agent<{ readonly text: string; readonly recordings: number }>()(
    z.strictObject({ of: receiptOf, format: z.enum(['json', 'csv']) }),
  ),
  getSupportFacts: agent<SupportFacts>()(nothing),
  /** That recordings of this station were made at, the latest first. The contract has no list of sites. */
  getKnownSites: agent<readonly string[]>()(nothing),
  checkFolder: agent<FolderVerdict>()(z.strictObject({ path: z.string().min(1).max(4096) })),
  /** With these rules, which need not be saved; changes nothing. */
  previewRemovals: agent<RemovalPreview>()(
    z.strictObject({ path: z.string().min(1).max(4096), afterUpload: afterUploadSchema }),
  ),

  getAgentHealth: shell<AgentHealth>()(nothing),
  getAppInfo: shell<AppInfo>()(nothing),
  listLogLines: shell<LogPage>()(logQuery),
  getLicences: shell<readonly Licence[]>()(nothing),
  getSettings: shell<SettingsState>()(nothing),
  saveSettings: shell<SaveSettingsResult>()(z.custom<SettingsInput>((value) => typeof value === 'object')),
  /** Without the key. Asks where to; `null` when the person thought better of it. */
  exportSettings: shell<{ readonly path: string } | null>()(nothing),
  /** Asks which file, and changes nothing: what it says is saved by `saveSettings`. */
  readSettingsFile: shell<SettingsReading | null>()(nothing),
  getSecretStorage: shell<SecretStorage>()(nothing),
  saveKey: shell<null>()(
    z.strictObject({ baseUrl: serviceAddress, apiKey: apiKeySchema, acceptUnprotected: z.boolean() }),
  ),
  forgetKey: shell<null>()(nothing),
  /** Registered from this station, for the address in use. */
  getWebhookEndpoints: shell<readonly KnownEndpoint[]>()(nothing),
  /** The secret is told this once. `trouble`: why it could not be stored, in a sentence. */
  registerWebhook: shell<{ readonly secret: string; readonly trouble: string | null }>()(
    newEndpoint.extend({ acceptUnprotected: z.boolean() }),
  ),
  forgetWebhooks: shell<null>()(nothing),
  /** Kept like a key: nobody tells it to the page again. */
  saveMonitoringSecret: shell<null>()(newMonitoringSecret),
  forgetMonitoringSecret: shell<null>()(z.strictObject({ which: z.enum(monitoringSecretNames) })),
  pickFolder: shell<string | null>()(nothing),
  showRecording: shell<null>()(z.strictObject({ id: recordingId })),
  openFolder: shell<null>()(z.strictObject({ which: z.enum(['data', 'logs']) })),
  /** Asks where to; `null` when the person thought better of it. */
  saveSupportReport: shell<{ readonly path: string } | null>()(nothing),
  /** Asks where to, and as JSON or CSV; `null` when the person thought better of it. */
  saveReceipt: shell<{ readonly path: string; readonly recordings: number } | null>()(
    z.strictObject({ of: receiptOf }),
  ),
  /** The page names no path: the one saved last is shown. */
  showSupportReport: shell<null>()(nothing),
  /** The answer to `rest`: where the page is. Only the next page reads it. */
  keepView: shell<null>()(z.strictObject({ view: z.string().max(100_000) })),
  /** Where a page that was let go had been, or the place that is asked for. */
  takeView: shell<{ readonly view: string | null; readonly to: string }>()(nothing),
  /** What the page opens on can be seen. */
  pageDrawn: shell<null>()(nothing),
  getSandboxHealth: shell<SandboxHealth>()(nothing),
  startSandbox: shell<{ readonly baseUrl: string }>()(nothing),
} as const satisfies Record<string, Call<'shell' | 'agent', z.ZodType, unknown>>

export type Calls = typeof calls
export type CallName = keyof Calls
export type CallArgs<N extends CallName> = z.input<Calls[N]['args']>
export type CheckedArgs<N extends CallName> = z.output<Calls[N]['args']>
export type CallResult<N extends CallName> =
  | NonNullable<Calls[N]['result']>
  | Extract<Calls[N]['result'], null>
type NamesAnsweredBy<By extends 'shell' | 'agent'> = {
  [N in CallName]: Calls[N]['by'] extends By ? N : never
}[CallName]
export type AgentCallName = NamesAnsweredBy<'agent'>
export type ShellCallName = NamesAnsweredBy<'shell'>

/** Pushed to the page, on change only. */
export type Events = {
  readonly status: Status
  readonly agentHealth: AgentHealth
  readonly settings: SettingsState
  readonly sandboxHealth: SandboxHealth
  /** A tray item or a notification asks the page to show a place. */
  readonly navigate: { readonly to: string }
  /** The window has been hidden for long: may the page go? Answered by `keepView`, or not at all. */
  readonly rest: null
}
export const eventNames = [
  'status',
  'agentHealth',
  'settings',
  'sandboxHealth',
  'navigate',
  'rest',
] as const satisfies (keyof Events)[]
export type EventName = keyof Events

export type CallError = {
  readonly kind: 'bad-arguments' | 'foreign-sender' | 'agent-unavailable' | 'refused' | 'failed'
  readonly message: string
}
export type CallAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: CallError }

/** What `window.sluice` is in the page. */
export type Bridge = {
  readonly call: { readonly [N in CallName]: (args?: CallArgs<N>) => Promise<CallAnswer<CallResult<N>>> }
  readonly on: { readonly [E in EventName]: (listener: (value: Events[E]) => void) => () => void }
  /** Where a file or folder is that a person dropped on the window; empty where the system does not tell. */
  readonly pathOf: (dropped: unknown) => string
  /** How dates, times and numbers are written, "de-DE". */
  readonly locale: string
}
