import '../../../renderer/zod-without-eval.ts'
import {
  type AgentHealth,
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
  type SandboxHealth,
} from '../../../shared/ipc.ts'
import { type DraftSettings, draftSettingsSchema, type SettingsInput } from '../../../shared/settings.ts'
import type { RecordingRow, Status } from '../../../shared/status.ts'
import { checkFolder, journalAt, testKey, uploadHostsAt } from './checks.ts'
import { licences } from './licences.ts'
import { listRecordings, throughputOf } from './recording-list.ts'
import { detailOf, type Kind, rowAt } from './recordings.ts'
import type { SceneOptions } from './scene.ts'
import { deleteSession, getSession, listSessions } from './sessions.ts'
import { statusOf } from './station.ts'

/**
 * `window.sluice` for page tests and pictures: answers every call of the table, checks arguments with the
 * table's own schemas, and lets a test turn things (`window.scripted`).
 */

type Handlers = { readonly [N in CallName]: (args: CheckedArgs<N>) => CallResult<N> | Promise<CallResult<N>> }

export type Scripted = {
  readonly asked: { readonly name: CallName; readonly args: unknown }[]
  readonly setHealth: (health: AgentHealth) => void
  readonly setSandboxHealth: (health: SandboxHealth) => void
  /** What the system does about starting at login. */
  readonly setLoginTrouble: (sentence: string) => void
  readonly navigate: (to: string) => void
  readonly failNext: (name: CallName, error: CallError) => void
  readonly finishFirst: () => void
  /** What the station says from now on instead. */
  readonly changeStatus: (part: Partial<Status>) => void
  /** A report takes its time while the page moves, until this is called. */
  readonly finishSaving: () => void
}

declare global {
  interface Window {
    scripted: Scripted
    scriptedOptions: SceneOptions
  }
}

const setUp: SettingsInput = {
  service: { base_url: 'https://api.example.com' },
  folders: [
    { path: 'D:\\Recordings\\hall-3', site: 'Hall 3', device: 'rig-07' },
    { path: '\\\\nas-02\\capture\\outdoor', site: 'Test track' },
  ],
  transfer: {
    limit_mbit_per_s: 400,
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '18:00', to: '07:00' }],
  },
  app: { quiet_hours: { from: '22:00', to: '07:00' } },
}

const start = (options: SceneOptions): void => {
  const { scene, moving } = options
  const startedAt = Date.now()
  const kind: Kind =
    scene === 'calm' || scene === 'damaged'
      ? 'calm'
      : scene === 'refused'
        ? 'refused'
        : scene === 'offline' || scene === 'paused' || scene === 'conditions'
          ? 'held'
          : 'busy'
  const firstRun = scene === 'first-run'
  let total = scene === 'many' || scene === 'refused' ? 100_000 : scene === 'empty' || firstRun ? 0 : 42
  let settings: DraftSettings = draftSettingsSchema.parse(firstRun ? {} : setUp)
  let health: AgentHealth = { state: 'running', restarts: 0 }
  let keyFor: readonly string[] = settings.service === undefined ? [] : [settings.service.base_url]
  let pausedUntil: string | null | false = false
  let lateFinish = false
  let finishSaving: () => void = () => undefined
  let sandboxHealth: SandboxHealth = { state: 'off' }
  const journal = journalAt(startedAt)
  const uploadHosts = uploadHostsAt(startedAt)
  const removed = new Set<string>()
  const failures = new Map<CallName, CallError>()
  const listeners = new Map<EventName, Set<(value: never) => void>>(
    eventNames.map((name) => [name, new Set()]),
  )
  const push = <E extends EventName>(name: E, value: Events[E]) => {
    for (const listener of listeners.get(name) ?? []) listener(value as never)
  }

  let loginTrouble: string | null = null
  const setSandboxHealth = (next: SandboxHealth) => {
    sandboxHealth = next
    push('sandboxHealth', next)
  }

  const row = (index: number): RecordingRow => {
    const found = rowAt(
      index,
      firstRun && lateFinish ? 'calm' : kind,
      moving ? Date.now() : startedAt,
      startedAt,
    )
    return found.sessionId !== null && removed.has(found.sessionId) ? { ...found, sessionId: null } : found
  }
  const head = () => Array.from({ length: Math.min(total, 42) }, (_, index) => row(index))
  let changed: Partial<Status> = {}
  const status = () => ({ ...statusOf(scene, total, head(), pausedUntil), ...changed })
  const state = () => ({
    settings,
    damage:
      scene === 'damaged' || options.damaged === true
        ? 'The settings file was damaged and has been put aside as settings.damaged-2026-03-12.json. Sluice runs on the last good settings.'
        : null,
  })

  const handlers: Handlers = {
    getStatus: status,
    listRecordings: (query) => listRecordings(query, total, row),
    getRecording: ({ id }) => {
      const detail = detailOf(row(id - 1))
      return detail.sessionId === null ? { ...detail, session: null } : detail
    },
    getThroughput: ({ span }) => throughputOf(span, total === 0 ? 'calm' : kind),
    pause: ({ until }) => {
      pausedUntil = until
      push('status', status())
      return null
    },
    resume: () => {
      pausedUntil = false
      push('status', status())
      return null
    },
    retryRecordings: () => null,
    prioritiseRecordings: () => null,
    pauseRecordings: () => null,
    resumeRecordings: () => null,
    dismissRecordings: () => null,
    retryProblem: () => null,
    acceptOrganisation: () => null,
    acceptReplacedFolder: () => null,
    listSessions,
    getSession: ({ id }) => getSession(id) ?? Promise.reject(new Error('no such session')),
    deleteSession: ({ id }) => {
      deleteSession(id)
      removed.add(id)
      return null
    },
    testKey: ({ baseUrl, apiKey }) => testKey(baseUrl, apiKey),
    checkFolder: ({ path }) => checkFolder(path, settings.folders),
    getJournalHealth: () => journal,
    getUploadHosts: () => uploadHosts,
    getSupportFacts: () => ({ status: status(), journal, uploadHosts, problems: [], requests: [] }),
    getAgentHealth: () => health,
    getAppInfo: () => ({
      version: '0.1.0',
      electron: '45.3.2',
      node: '24.9.0',
      platform: 'Windows 11 (x64)',
      system: 'windows',
      dataFolder: 'C:\\Users\\lab\\AppData\\Roaming\\Sluice',
      logFolder: 'C:\\Users\\lab\\AppData\\Roaming\\Sluice\\logs',
      settingsFile: 'C:\\Users\\lab\\AppData\\Roaming\\Sluice\\settings.json',
      hasTray: true,
      loginTrouble,
    }),
    getLicences: () => licences,
    getSettings: state,
    saveSettings: (input) => {
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
      push('settings', state())
      if (firstRun) {
        total = 1
        push('status', status())
      }
      return { ok: true }
    },
    getSecretStorage: () => ({
      available: true,
      backend: options.unprotected === true ? 'basic_text' : 'gnome_libsecret',
      protects: options.unprotected !== true,
      keyFor,
    }),
    saveKey: ({ baseUrl }) => {
      keyFor = [baseUrl]
      return null
    },
    forgetKey: () => {
      keyFor = []
      return null
    },
    pickFolder: () => 'D:\\Recordings\\new-rig',
    showRecording: () => null,
    openFolder: () => null,
    saveSupportReport: () =>
      new Promise((resolve) => {
        finishSaving = () =>
          resolve({ path: 'C:\\Users\\lab\\Documents\\sluice-report-2026-03-12-0842.json' })
        if (!moving) finishSaving()
      }),
    showSupportReport: () => null,
    openLink: () => null,
    getSandboxHealth: () => sandboxHealth,
    startSandbox: () => {
      const baseUrl = 'http://127.0.0.1:47113'
      setSandboxHealth({ state: 'running', baseUrl })
      return { baseUrl }
    },
  }

  const asked: { name: CallName; args: unknown }[] = []
  const answer = async (name: CallName, args: unknown): Promise<CallAnswer<unknown>> => {
    asked.push({ name, args })
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
    const checked = calls[name].args.safeParse(args)
    if (!checked.success)
      return { ok: false, error: { kind: 'bad-arguments', message: checked.error.message } }
    return { ok: true, value: await (handlers[name] as (value: unknown) => unknown)(checked.data) }
  }

  const names = Object.keys(calls) as CallName[]
  const call = Object.fromEntries(names.map((name) => [name, (args?: unknown) => answer(name, args)]))
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
    sluice: { call, on } as unknown as Bridge,
    scripted: {
      asked,
      setHealth: (next) => {
        health = next
        push('agentHealth', next)
      },
      setSandboxHealth,
      setLoginTrouble: (sentence) => {
        loginTrouble = sentence
      },
      navigate: (to) => push('navigate', { to }),
      failNext: (name, error) => failures.set(name, error),
      finishSaving: () => finishSaving(),
      changeStatus: (part) => {
        changed = { ...changed, ...part }
        push('status', status())
      },
      finishFirst: () => {
        lateFinish = true
        push('status', status())
      },
    } satisfies Scripted,
  })
  if (moving) setInterval(() => health.state === 'running' && push('status', status()), 500)
}

start(window.scriptedOptions)
