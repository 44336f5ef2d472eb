import { z } from 'zod'
import { type KnownEndpoint, newEndpoint, type ReceiverState } from '../contract/webhooks.ts'
import { isPlainGlob } from '../paths/plain-glob.ts'
import { monitoringSecretNames } from '../settings/monitoring-secrets.ts'
import { newMonitoringSecret } from '../settings/monitoring-settings.ts'
import {
  afterUploadSchema,
  apiKeySchema,
  type DraftSettings,
  type SettingsInput,
  serviceAddress,
} from '../settings/settings.ts'
import type { TakeLayout } from '../settings/take-layouts.ts'
import type { ActivityPage } from '../status/activity.ts'
import type { ExportedRecording } from '../status/exported-recording.ts'
import type { Nights } from '../status/night-figures.ts'
import { problemCodes } from '../status/problem.ts'
import type {
  RecordingDetail,
  RecordingPage,
  SessionListPage,
  SessionSummary,
  Status,
  TakeDetail,
  Throughput,
} from '../status/status.ts'
import type { AgentHealth } from './agent-health.ts'
import {
  activityQuery,
  editedFiles,
  exportQuery,
  instant,
  logQuery,
  noArguments,
  pathActions,
  receiptSelection,
  recordingId,
  recordingOrder,
  recordingPaths,
  recordingQuery,
  recordingSelection,
  sessionQuery,
} from './call-arguments.ts'
import type { IgnorePreview } from './ignore-preview.ts'
import type { KeyVerdict } from './key-verdict.ts'
import type { LearnedExpectation } from './learned-expectation.ts'
import type { Licence } from './licences.ts'
import type { DeliveryResult, MonitoringState } from './monitoring.ts'
import type { LogPage } from './program-log.ts'
import type { RemovalPreview } from './removal-preview.ts'
import type { SettingsFilePreview } from './settings-file-preview.ts'
import type { Finding } from './station-check.ts'
import type { SupportFacts } from './support.ts'
import type { System } from './system.ts'

/**
 * Every call between the page, the main process and the agent, declared once. The preload bridge, the handlers in
 * main, the relay to the agent and the argument checks derive from this table. So no channel name is typed twice, and
 * no handler lacks an argument check.
 */

type Call<By extends 'shell' | 'agent', Args extends z.ZodType, Result> = {
  /** The process that answers: the main process, or the agent. */
  readonly by: By
  readonly args: Args
  /** Only for the type of the answer: never present at run time. */
  readonly result?: Result
}

const answeredBy =
  <By extends 'shell' | 'agent'>(by: By) =>
  <Result>() =>
  <Args extends z.ZodType>(args: Args): Call<By, Args, Result> => ({ by, args })

const shell = answeredBy('shell')
const agent = answeredBy('agent')

/** The result of an action on recordings. */
export type ActionOutcome = {
  /** How many recordings changed. Each file of a take counts. */
  readonly acted: number
  /** How many selected rows stayed as they were. */
  readonly skipped: number
  /** The number for `undoAction`, valid until the next action starts. Null if the action cannot be undone. */
  readonly undo: number | null
}
export type ActionProgress = { readonly done: number; readonly total: number }

export type FolderVerdict =
  | {
      readonly ok: true
      readonly warning: string | null
      readonly files: number
      readonly bytes: number
      /** The take format of the subfolders. Null if the subfolders are probably not takes. */
      readonly takeLayout: TakeLayout | null
    }
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
  /** `XDG_CURRENT_DESKTOP` on Linux. */
  readonly desktop: string | null
  /** A sentence that says why Sluice does not start at login although it should. */
  readonly loginTrouble: string | null
}

export type SecretStorage = {
  readonly available: boolean
  readonly backend: string
  /**
   * False if no keychain encrypts the key. Other programs could then read a stored key, so the user has to agree
   * first.
   */
  readonly protects: boolean
  /** The addresses that have a key. A key is never sent to a different address. */
  readonly addressesWithKey: readonly string[]
  /** The source of the key, if it does not come from the keychain. */
  readonly externalKeySource?: 'managed' | 'file' | 'environment'
}

export type SettingsState = {
  readonly settings: DraftSettings
  /**
   * Why Sluice does not use the settings file or the address in it. Meanwhile, the last good settings apply. Null if
   * Sluice uses both.
   */
  readonly problem: string | null
  /** Present if an administrator rolled out settings. The user cannot change the fields that these settings contain. */
  readonly managed?: ManagedView
}

export type ManagedView = {
  readonly file: string
  /** The fields that the administrator sets, for example "folders" or "transfer.parallel_parts". */
  readonly locked: readonly string[]
  /** Why Sluice cannot use the file. Meanwhile, the last good managed settings apply. */
  readonly problem: string | null
}

export type SaveSettingsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly issues: readonly { readonly path: string; readonly message: string }[] }

/** The result of a command that names recordings by path. */
export type PathOutcome = {
  readonly done: readonly { readonly path: string; readonly sessionId: string | null }[]
  readonly refused: readonly string[]
}

export type UploadNowOutcome = {
  readonly changed: boolean
  /** The permission ends at this time, when the next upload hours begin. Null if no hours follow, or after an undo. */
  readonly until: string | null
}

/** The state of the embedded sandbox, if the station uses it. */
export type SandboxHealth =
  | { readonly state: 'off' }
  | { readonly state: 'running'; readonly baseUrl: string }
  | { readonly state: 'stopped'; readonly reason: string }

export const calls = {
  getStatus: agent<Status>()(noArguments),
  /** The content of `status --json`, for commands of an account that may not read the journal. */
  getStatusReport: agent<object>()(noArguments),
  /** Like `getStatusReport`, for `status --watch`. */
  getWatchSnapshot: agent<object>()(noArguments),
  /** Like `getStatusReport`, for `export recordings`. */
  getExportedRecordings: agent<readonly ExportedRecording[]>()(exportQuery),
  listRecordings: agent<RecordingPage>()(recordingQuery),
  getRecording: agent<RecordingDetail | null>()(z.strictObject({ id: recordingId })),
  /** The take of a recording with its files. Null if the file is a take by itself. */
  getTake: agent<TakeDetail | null>()(z.strictObject({ id: recordingId })),
  getThroughput: agent<Throughput>()(z.strictObject({ span: z.enum(['10m', '24h']) })),
  listActivity: agent<ActivityPage>()(activityQuery),
  /** Thirty nights of the station and seven of each folder. */
  getNights: agent<Nights>()(noArguments),
  /** The user expects no recordings from this folder in the night that begins on this day. */
  dismissSilence: agent<null>()(z.strictObject({ path: z.string().max(4096), night: z.iso.date() })),
  /** The user has seen how the recording deviates from the expectation of its folder. */
  dismissDeviation: agent<null>()(z.strictObject({ id: recordingId })),
  /** Proposes the expectation of a folder from its last recordings. Changes nothing. */
  learnExpectation: agent<LearnedExpectation>()(z.strictObject({ path: z.string().min(1).max(4096) })),
  pause: agent<null>()(z.strictObject({ until: instant.nullable() })),
  /** Returns false if uploads were not paused. */
  resume: agent<boolean>()(noArguments),
  /**
   * Permits uploads outside the upload hours, until the next upload hours begin. Applies to a recording and the unsent
   * files of its take, or to everything if `id` is null.
   */
  uploadNow: agent<null>()(z.strictObject({ id: recordingId.nullable() })),
  /** Undoes `uploadNow` for this one recording, or for everything if `id` is null. */
  cancelUploadNow: agent<null>()(z.strictObject({ id: recordingId.nullable() })),
  /** The position of the recording in the list. Null if the filters exclude it. */
  locateRecording: agent<number | null>()(recordingOrder.extend({ id: recordingId })),
  retryRecordings: agent<ActionOutcome>()(recordingSelection),
  prioritiseRecordings: agent<ActionOutcome>()(recordingSelection),
  pauseRecordings: agent<ActionOutcome>()(recordingSelection),
  resumeRecordings: agent<ActionOutcome>()(recordingSelection),
  /** The problem of each recording no longer needs attention. Changes nothing else. */
  dismissRecordings: agent<ActionOutcome>()(recordingSelection),
  /** Proposes patterns that exclude files like this recording, and counts what each pattern matches. */
  previewIgnore: agent<IgnorePreview>()(z.strictObject({ id: recordingId })),
  /** Dismisses the matching recordings that need attention. The page saves the pattern with the settings. */
  ignoreRecordings: agent<ActionOutcome>()(
    z.strictObject({
      folder: z.string().min(1).max(4096),
      // Without this check, a member of `control.group` could block the agent with a pattern that takes minutes.
      pattern: z
        .string()
        .min(1)
        .max(1024)
        .refine(isPlainGlob, 'The pattern may contain only the wildcards *, ? and **.'),
    }),
  ),
  /**
   * For commands, which name recordings by path. With an empty list, `dismiss` applies to all recordings with a problem
   * or a reported deviation, and `undo-dismissal` to all dismissed recordings. The other actions need a path.
   */
  actOnPaths: agent<PathOutcome>()(z.strictObject({ action: z.enum(pathActions), paths: recordingPaths })),
  /**
   * `sluice verify` calls this with the files that were edited after their upload. Returns the paths whose new content
   * becomes a new recording.
   */
  replaceEdited: agent<readonly string[]>()(editedFiles),
  /**
   * Uploads these recordings outside the upload hours, or everything if `paths` is empty. `isOn: false` undoes this.
   */
  uploadPathsNow: agent<UploadNowOutcome>()(z.strictObject({ isOn: z.boolean(), paths: recordingPaths })),
  undoAction: agent<ActionOutcome>()(z.strictObject({ undo: z.number().int().positive() })),
  /** The progress of the running action on recordings. Null if none is running. */
  getActionProgress: agent<ActionProgress | null>()(noArguments),
  /** Retries all recordings with this problem. */
  retryProblem: agent<null>()(z.strictObject({ code: z.enum(problemCodes) })),
  /** The user confirms that the station now belongs to the key's organisation. */
  acceptOrganisation: agent<null>()(noArguments),
  acceptReplacedFolder: agent<null>()(z.strictObject({ path: z.string().max(4096) })),
  listSessions: agent<SessionListPage>()(sessionQuery),
  getSession: agent<SessionSummary>()(z.strictObject({ id: z.string().max(200) })),
  deleteSession: agent<null>()(z.strictObject({ id: z.string().max(200), typed: z.literal('delete') })),
  testKey: agent<KeyVerdict>()(
    z.strictObject({ baseUrl: z.string().max(2048), apiKey: apiKeySchema.optional() }),
  ),
  /** Creates an endpoint at the service (§4.7). Only the process that stores the secret calls this. */
  createWebhookEndpoint: agent<{ readonly id: string; readonly secret: string }>()(
    newEndpoint.extend({ idempotencyKey: z.uuid() }),
  ),
  getReceiver: agent<ReceiverState>()(noArguments),
  getMonitoring: agent<MonitoringState>()(noArguments),
  /** `sendHeartbeat` and `sendTestAlert` use the URLs of the current settings. */
  sendHeartbeat: agent<DeliveryResult>()(noArguments),
  sendTestAlert: agent<DeliveryResult>()(noArguments),
  /** Runs all checks, which takes seconds. One check briefly writes a file into each watched folder. */
  checkStation: agent<readonly Finding[]>()(noArguments),
  makeReceipt: agent<{ readonly text: string; readonly recordings: number }>()(
    z.strictObject({ of: receiptSelection, format: z.enum(['json', 'csv']) }),
  ),
  getSupportFacts: agent<SupportFacts>()(noArguments),
  /**
   * The sites of this station's recordings, latest first, from the journal. The contract has no call that lists sites.
   */
  getKnownSites: agent<readonly string[]>()(noArguments),
  checkFolder: agent<FolderVerdict>()(z.strictObject({ path: z.string().min(1).max(4096) })),
  /** Previews rules before they are saved. Removes nothing. */
  previewRemovals: agent<RemovalPreview>()(
    z.strictObject({ path: z.string().min(1).max(4096), afterUpload: afterUploadSchema }),
  ),

  /** Probes an unreachable service now, instead of at the next scheduled probe. */
  reconnect: shell<null>()(noArguments),
  getAgentHealth: shell<AgentHealth>()(noArguments),
  /** Starts the background service if the station belongs to it. Otherwise, starts this window's own agent. */
  startAgent: shell<null>()(noArguments),
  getAppInfo: shell<AppInfo>()(noArguments),
  listLogLines: shell<LogPage>()(logQuery),
  getLicences: shell<readonly Licence[]>()(noArguments),
  getSettings: shell<SettingsState>()(noArguments),
  saveSettings: shell<SaveSettingsResult>()(z.custom<SettingsInput>((value) => typeof value === 'object')),
  /** Opens a save dialog and writes the settings without secrets. `null` if the user cancels. */
  exportSettings: shell<{ readonly path: string } | null>()(noArguments),
  /** Opens a file dialog and only reads the file. `saveSettings` applies its content. */
  readSettingsFile: shell<SettingsFilePreview | null>()(noArguments),
  getSecretStorage: shell<SecretStorage>()(noArguments),
  saveKey: shell<null>()(
    z.strictObject({ baseUrl: serviceAddress, apiKey: apiKeySchema, acceptUnprotected: z.boolean() }),
  ),
  forgetKey: shell<null>()(noArguments),
  /** The endpoints that this station registered at the current address. */
  getWebhookEndpoints: shell<readonly KnownEndpoint[]>()(noArguments),
  /** The only call that gives the page the secret. `trouble` is a sentence that says why the secret was not stored. */
  registerWebhook: shell<{ readonly secret: string; readonly trouble: string | null }>()(
    newEndpoint.extend({ acceptUnprotected: z.boolean() }),
  ),
  forgetWebhooks: shell<null>()(noArguments),
  /** The secret is stored like a key: the page cannot read it again. */
  saveMonitoringSecret: shell<null>()(newMonitoringSecret),
  forgetMonitoringSecret: shell<null>()(z.strictObject({ which: z.enum(monitoringSecretNames) })),
  pickFolder: shell<string | null>()(noArguments),
  /** Creates a folder with small recordings for the try-out and returns its path. */
  makeSampleFolder: shell<string>()(noArguments),
  showRecording: shell<null>()(z.strictObject({ id: recordingId })),
  openFolder: shell<null>()(z.strictObject({ which: z.enum(['data', 'logs']) })),
  /** Opens a save dialog. `null` if the user cancels. */
  saveSupportReport: shell<{ readonly path: string } | null>()(noArguments),
  /**
   * The text of a support report, without secrets. The caller passes the facts about its app, because an agent outside
   * the app does not know them.
   */
  makeSupportReport: shell<string>()(
    z.strictObject({
      app: z.custom<AppInfo>((value) => typeof value === 'object'),
      agentHealth: z.custom<AgentHealth>((value) => typeof value === 'object'),
    }),
  ),
  /** Opens a save dialog for JSON or CSV. `null` if the user cancels. */
  saveReceipt: shell<{ readonly path: string; readonly recordings: number } | null>()(
    z.strictObject({ of: receiptSelection }),
  ),
  /** Shows the last saved report. The page cannot name a path. */
  showSupportReport: shell<null>()(noArguments),
  /** The page's answer to `unloadRequest`. When the page is loaded again, it gets this view from `takeSavedView`. */
  saveView: shell<null>()(z.strictObject({ view: z.string().max(100_000) })),
  /** `view`: what `saveView` stored, or null. `to`: the screen that the user opened meanwhile, or empty. */
  takeSavedView: shell<{ readonly view: string | null; readonly to: string }>()(noArguments),
  /** The page has drawn its first screen. */
  pageDrawn: shell<null>()(noArguments),
  /** Brings the window to the front. The panel at the tray icon calls it. */
  openWindow: shell<null>()(noArguments),
  getSandboxHealth: shell<SandboxHealth>()(noArguments),
  startSandbox: shell<{ readonly baseUrl: string }>()(noArguments),
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

/** Events that main pushes to the page. */
export type Events = {
  readonly status: Status
  readonly agentHealth: AgentHealth
  readonly settings: SettingsState
  readonly sandboxHealth: SandboxHealth
  /** The user opens a screen of the page from the tray, a menu or a notification. */
  readonly navigate: { readonly to: string }
  /**
   * Main wants to unload the page, because the window has been hidden for a long time. The page agrees by calling
   * `saveView`. A page with unsaved input does not answer.
   */
  readonly unloadRequest: null
}
export const eventNames = [
  'status',
  'agentHealth',
  'settings',
  'sandboxHealth',
  'navigate',
  'unloadRequest',
] as const satisfies (keyof Events)[]
export type EventName = keyof Events

export type CallError = {
  readonly kind: 'bad-arguments' | 'foreign-sender' | 'agent-unavailable' | 'refused' | 'failed'
  readonly message: string
}
export type CallAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: CallError }

/** The type of `window.sluice` in the page. */
export type Bridge = {
  readonly call: { readonly [N in CallName]: (args?: CallArgs<N>) => Promise<CallAnswer<CallResult<N>>> }
  readonly on: { readonly [E in EventName]: (listener: (value: Events[E]) => void) => () => void }
  /** The path of a file or folder that the user dropped on the window. Empty if the system does not report it. */
  readonly pathOf: (dropped: unknown) => string
  /** The locale of dates, times and numbers, for example "de-DE". */
  readonly locale: string
}
