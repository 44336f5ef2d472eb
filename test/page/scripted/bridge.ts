import '../../../renderer/zod-without-eval.ts'
import type { KnownEndpoint } from '../../../shared/contract/webhooks.ts'
import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import {
  type AgentCallName,
  type Bridge,
  type CallAnswer,
  type CallError,
  type CallName,
  type CallResult,
  type CheckedArgs,
  calls,
  type EventName,
  type Events,
  eventNames,
  type ManagedView,
  type SandboxHealth,
  type SettingsState,
} from '../../../shared/ipc/ipc.ts'
import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import type { MonitoringSecrets } from '../../../shared/settings/monitoring-secrets.ts'
import { type DraftSettings, draftSettingsSchema } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status/status.ts'
import { checkFolder, checkStation, journalAt, testKey, uploadHostsAt } from './checks.ts'
import { licences } from './licences.ts'
import { listLogLines } from './log-lines.ts'
import { monitoringAt } from './monitoring.ts'
import { previewRemovals } from './removals.ts'
import { initialSettings, type SceneOptions } from './scene.ts'
import { deleteSession, getSession, listSessions } from './sessions.ts'
import { receiverAt, TEST_SECRET } from './webhooks.ts'

/**
 * `window.sluice` for page tests and screenshots. A station outside the page (`window.station`) answers journal calls
 * from a real journal. This file answers all other calls, and `window.scripted` lets a test change these answers.
 */

/** Calls that the station's journal answers. */
const journalCalls = [
  'getStatus',
  'getStatusReport',
  'getWatchSnapshot',
  'getExportedRecordings',
  'listRecordings',
  'locateRecording',
  'getRecording',
  'getTake',
  'getThroughput',
  'listActivity',
  'getKnownSites',
  'getNights',
  'dismissSilence',
  'dismissDeviation',
  'learnExpectation',
  'pause',
  'resume',
  'uploadNow',
  'cancelUploadNow',
  'retryRecordings',
  'prioritiseRecordings',
  'pauseRecordings',
  'resumeRecordings',
  'dismissRecordings',
  'previewIgnore',
  'ignoreRecordings',
  'actOnPaths',
  'replaceEdited',
  'uploadPathsNow',
  'undoAction',
  'getActionProgress',
  'retryProblem',
  'acceptOrganisation',
  'acceptReplacedFolder',
] as const satisfies readonly AgentCallName[]

/** The journal calls that change nothing. After every other journal call, the bridge sends the status to the page. */
const readOnlyCalls: ReadonlySet<CallName> = new Set([
  'getStatus',
  'getStatusReport',
  'getWatchSnapshot',
  'getExportedRecordings',
  'listRecordings',
  'locateRecording',
  'getRecording',
  'getTake',
  'getThroughput',
  'listActivity',
  'getKnownSites',
  'getActionProgress',
  'getNights',
  'previewIgnore',
])

const isJournalCall = (name: CallName): name is (typeof journalCalls)[number] =>
  (journalCalls as readonly string[]).includes(name)

type Handlers = {
  readonly [N in Exclude<CallName, (typeof journalCalls)[number]>]: (
    args: CheckedArgs<N>,
  ) => CallResult<N> | Promise<CallResult<N>>
}

export type Scripted = {
  /** Every call of the page so far. */
  readonly pageCalls: { readonly name: CallName; readonly args: unknown }[]
  readonly setHealth: (health: AgentHealth) => void
  readonly setSandboxHealth: (health: SandboxHealth) => void
  /** Sets the reason why Sluice cannot start at login. */
  readonly setLoginTrouble: (sentence: string) => void
  /** Makes these settings managed, as if an administrator had set their current values. */
  readonly manage: (locked: readonly string[]) => void
  readonly navigate: (to: string) => void
  /** Sends `unloadRequest`, as the app does after the window was hidden for a long time. */
  readonly requestUnload: () => void
  readonly failNext: (name: CallName, error: CallError) => void
  readonly finishFirstRecording: () => Promise<void>
  /** Overrides these fields of the status from now on. */
  readonly changeStatus: (fields: Partial<Status>) => Promise<void>
  /** Sets the file that the user picks for the next import. */
  readonly pick: (pickedFile: SettingsFilePreview) => void
  /** Finishes saving a support report, which waits for this call in a moving scene. */
  readonly finishSaving: () => void
  /** Makes saves of the settings wait for `releaseSaves`. */
  readonly holdSaves: () => void
  readonly releaseSaves: () => void
}

declare global {
  interface Window {
    scripted: Scripted
    station: (name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>
    applyStationEvent: (event: StationEvent) => Promise<void>
  }
}

/** A change of the station that does not come from a call of the page. */
export type StationEvent =
  | { readonly kind: 'settings'; readonly settings: unknown }
  | { readonly kind: 'deleted'; readonly sessionId: string }
  | { readonly kind: 'first-finished' }
  | {
      readonly kind: 'take-deviates'
      readonly id: number
      readonly deviations: readonly string[]
      readonly isHeld?: true
    }
  | { readonly kind: 'one-take'; readonly take: string; readonly ids: readonly number[] }
  | { readonly kind: 'removed'; readonly id: number; readonly movedTo: string | null }

const start = (options: SceneOptions): void => {
  const { scene, moving } = options
  const startedAt = Date.now()
  const isFirstRun = scene === 'first-run'
  let settings: DraftSettings = draftSettingsSchema.parse(isFirstRun ? {} : initialSettings)
  let health: AgentHealth = { state: 'running', restarts: 0 }
  let addressesWithKey: readonly string[] = settings.service === undefined ? [] : [settings.service.base_url]
  let pickedFile: SettingsFilePreview | null = null
  let finishSaving: () => void = () => undefined
  let savesReleased = Promise.resolve()
  let releaseSaves: () => void = () => undefined
  let sandboxHealth: SandboxHealth = { state: 'off' }
  const journal = journalAt(startedAt)
  const uploadHosts = uploadHostsAt(startedAt)
  const failures = new Map<CallName, CallError>()
  const listeners = new Map<EventName, Set<(value: never) => void>>(
    eventNames.map((name) => [name, new Set()]),
  )
  const push = <E extends EventName>(name: E, value: Events[E]) => {
    for (const listener of listeners.get(name) ?? []) listener(value as never)
  }

  let loginTrouble: string | null = null
  let endpoints: readonly KnownEndpoint[] = []
  let managed: ManagedView | null = null
  let monitoringSecrets: MonitoringSecrets = {}
  const setSandboxHealth = (next: SandboxHealth) => {
    sandboxHealth = next
    push('sandboxHealth', next)
  }

  let statusOverrides: Partial<Status> = {}
  const readStatus = async (): Promise<Status> => {
    const answer = await window.station('getStatus', undefined)
    if (!answer.ok) throw new Error(answer.error.message)
    return { ...(answer.value as Status), ...statusOverrides }
  }
  const pushStatus = async () => push('status', await readStatus())
  const applyEvent = async (event: StationEvent) => {
    await window.applyStationEvent(event)
    await pushStatus()
  }
  const settingsState = (): SettingsState => ({
    settings,
    ...(managed === null ? {} : { managed }),
    problem:
      scene === 'damaged' || options.damaged === true
        ? 'The settings file could not be used: it is too large. It was kept as settings.damaged-2026-03-12.json. Sluice runs on the last good settings.'
        : null,
  })

  const handlers: Handlers = {
    listSessions,
    getSession: ({ id }) => getSession(id) ?? Promise.reject(new Error('no such session')),
    deleteSession: async ({ id }) => {
      deleteSession(id)
      await applyEvent({ kind: 'deleted', sessionId: id })
      return null
    },
    testKey: ({ baseUrl, apiKey }) => testKey(baseUrl, apiKey),
    checkFolder: ({ path }) => checkFolder(path, settings.folders),
    previewRemovals: ({ path, afterUpload }) => previewRemovals(path, afterUpload, startedAt),
    createWebhookEndpoint: () => ({ id: 'whe_1', secret: TEST_SECRET }),
    getReceiver: () => receiverAt(settings, startedAt, endpoints.length),
    getMonitoring: () => monitoringAt(settings, monitoringSecrets, startedAt),
    sendHeartbeat: () => ({ ok: true }),
    sendTestAlert: () => ({ ok: true }),
    saveMonitoringSecret: ({ which, value }) => {
      monitoringSecrets = { ...monitoringSecrets, [which]: value }
      return null
    },
    forgetMonitoringSecret: ({ which }) => {
      const { [which]: _gone, ...rest } = monitoringSecrets
      monitoringSecrets = rest
      return null
    },
    checkStation: async () => checkStation(settings, await readStatus(), journal, uploadHosts),
    makeReceipt: () => ({ text: '{}', recordings: 1 }),
    getSupportFacts: async () => ({
      status: await readStatus(),
      journal,
      uploadHosts,
      problems: [],
      requests: [],
    }),
    reconnect: () => null,
    getAgentHealth: () => health,
    startAgent: () => null,
    makeSupportReport: () => '',
    getAppInfo: () => ({
      version: '0.1.0',
      electron: '45.3.2',
      node: '24.9.0',
      platform: 'Linux 6.1 (x64)',
      system: 'linux',
      dataFolder: '/home/lab/.config/Sluice',
      logFolder: '/home/lab/.config/Sluice/logs',
      settingsFile: '/home/lab/.config/Sluice/settings.json',
      hasTray: options.noTray !== true,
      desktop: 'ubuntu:GNOME',
      loginTrouble,
    }),
    listLogLines,
    getLicences: () => licences,
    openWindow: () => null,
    getSettings: settingsState,
    saveSettings: async (input) => {
      await savesReleased
      const parsed = draftSettingsSchema.safeParse(input)
      if (!parsed.success)
        return {
          ok: false,
          issues: parsed.error.issues.map(({ path, message }) => ({
            path: path.map(String).join('.'),
            message,
          })),
        }
      settings = parsed.data
      push('settings', settingsState())
      await applyEvent({ kind: 'settings', settings })
      return { ok: true }
    },
    exportSettings: () => ({ path: '/home/lab/Documents/sluice-settings-2026-03-12-0842.json' }),
    readSettingsFile: () => pickedFile,
    getSecretStorage: () => ({
      available: true,
      backend: options.unprotected === true ? 'basic_text' : 'gnome_libsecret',
      protects: options.unprotected !== true,
      addressesWithKey,
    }),
    saveKey: ({ baseUrl }) => {
      addressesWithKey = [baseUrl]
      return null
    },
    forgetKey: () => {
      addressesWithKey = []
      return null
    },
    getWebhookEndpoints: () => endpoints,
    registerWebhook: ({ url, events }) => {
      const registeredAt = new Date(startedAt).toISOString()
      endpoints = [...endpoints, { id: `whe_${endpoints.length + 1}`, url, events, registeredAt }]
      return { secret: TEST_SECRET, trouble: null }
    },
    forgetWebhooks: () => {
      endpoints = []
      return null
    },
    makeSampleFolder: () => '/home/op/Documents/Sluice sample recordings',
    pickFolder: () => 'D:\\Recordings\\new-rig',
    showRecording: () => null,
    openFolder: () => null,
    saveReceipt: () => ({ path: '/home/lab/Documents/sluice-receipt-2026-03-12-0842.json', recordings: 34 }),
    saveSupportReport: () =>
      new Promise((resolve) => {
        finishSaving = () => resolve({ path: '/home/lab/Documents/sluice-report-2026-03-12-0842.json' })
        if (!moving) finishSaving()
      }),
    showSupportReport: () => null,
    saveView: () => null,
    takeSavedView: () => ({ view: options.view ?? null, to: '' }),
    pageDrawn: () => null,
    getSandboxHealth: () => sandboxHealth,
    startSandbox: () => {
      const baseUrl = 'http://127.0.0.1:47113'
      setSandboxHealth({ state: 'running', baseUrl })
      return { baseUrl }
    },
  }

  const pageCalls: { name: CallName; args: unknown }[] = []
  const answer = async (name: CallName, args: unknown): Promise<CallAnswer<unknown>> => {
    pageCalls.push({ name, args })
    const failure = failures.get(name)
    if (failure !== undefined) {
      failures.delete(name)
      return { ok: false, error: failure }
    }
    if (calls[name].by === 'agent' && health.state !== 'running')
      return {
        ok: false,
        error: { kind: 'agent-unavailable', message: 'The agent is starting. Try again in a moment.' },
      }
    const parsedArgs = calls[name].args.safeParse(args)
    if (!parsedArgs.success)
      return { ok: false, error: { kind: 'bad-arguments', message: parsedArgs.error.message } }
    if (name === 'getStatus') return { ok: true, value: await readStatus() }
    if (!isJournalCall(name))
      return { ok: true, value: await (handlers[name] as (value: unknown) => unknown)(parsedArgs.data) }
    const answer = await window.station(name, args)
    if (!readOnlyCalls.has(name)) await pushStatus()
    return answer
  }

  const callNames = Object.keys(calls) as CallName[]
  const call = Object.fromEntries(callNames.map((name) => [name, (args?: unknown) => answer(name, args)]))
  const on = Object.fromEntries(
    eventNames.map((name) => [
      name,
      (listener: (value: never) => void) => {
        listeners.get(name)?.add(listener)
        return () => listeners.get(name)?.delete(listener)
      },
    ]),
  )
  Object.assign(window, {
    sluice: {
      call,
      on,
      locale: options.locale ?? 'en-GB',
      // Simulates the preload: the browser itself does not know the path of a dropped folder.
      pathOf: (dropped: unknown) => (dropped instanceof File ? `/data/dropped/${dropped.name}` : ''),
    } as unknown as Bridge,
    scripted: {
      pageCalls,
      setHealth: (next) => {
        health = next
        push('agentHealth', next)
      },
      setSandboxHealth,
      manage: (locked) => {
        managed = { file: '/etc/sluice/settings.json', locked, problem: null }
        push('settings', settingsState())
      },
      setLoginTrouble: (sentence) => {
        loginTrouble = sentence
      },
      navigate: (to) => push('navigate', { to }),
      requestUnload: () => push('unloadRequest', null),
      failNext: (name, error) => failures.set(name, error),
      finishSaving: () => finishSaving(),
      holdSaves: () => {
        savesReleased = new Promise((resolve) => {
          releaseSaves = resolve
        })
      },
      releaseSaves: () => releaseSaves(),
      pick: (picked) => {
        pickedFile = picked
      },
      changeStatus: async (fields) => {
        statusOverrides = { ...statusOverrides, ...fields }
        await pushStatus()
      },
      finishFirstRecording: () => applyEvent({ kind: 'first-finished' }),
    } satisfies Scripted,
  })
  if (moving) setInterval(() => health.state === 'running' && void pushStatus(), 500)
}

start(JSON.parse(decodeURIComponent(location.search.slice(1))))
