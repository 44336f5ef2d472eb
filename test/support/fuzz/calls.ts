import fc from 'fast-check'
import type { Agent } from '../../../main/agent/assembly/agent.ts'
import { createAgentCalls } from '../../../main/agent/calls/agent-calls.ts'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import type { Journal } from '../../../main/agent/journal/journal.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { Progress } from '../../../main/agent/status/progress.ts'
import { answerCall, type ShellCalls } from '../../../main/shell/calls/answer-call.ts'
import { refusalOf } from '../../../main/station-store/fallback-electron.ts'
import { Refused } from '../../../main/station-store/refused.ts'
import { systemClock } from '../../../shared/clock/clock.ts'
import { type AgentCallName, type CallAnswer, type CallName, calls } from '../../../shared/ipc/ipc.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { noMonitoring } from '../model/no-monitoring.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText, hostileValue, mutationsOf } from './hostile-input.ts'

const instant = '2026-03-12T10:00:00Z'
const ids = { ids: [1, 2, 3] }

/**
 * Valid arguments of every call. `argumentsOf` mutates them. The address in `testKey` is invalid, so that the agent
 * contacts no server.
 */
const validArguments: Readonly<Record<CallName, unknown>> = {
  getStatus: undefined,
  listRecordings: {
    text: 'run',
    states: ['ready'],
    standings: ['needs-attention'],
    folder: '/recordings',
    from: instant,
    to: instant,
    sort: 'name',
    descending: false,
    pinned: true,
    outline: true,
    offset: 0,
    limit: 10,
  },
  getRecording: { id: 1 },
  getTake: { id: 1 },
  previewRemovals: { path: '/recordings', afterUpload: { action: 'delete', days: 3 } },
  getThroughput: { span: '10m' },
  listActivity: { groups: ['trouble'], text: 'run', from: instant, to: instant, before: '1.0.1', limit: 10 },
  listLogLines: { levels: ['warn'], sources: ['agent'], text: 'run', older: 'abc 12', limit: 10 },
  getNights: undefined,
  dismissSilence: { path: '/recordings', night: '2026-03-12' },
  dismissDeviation: { id: 1 },
  learnExpectation: { path: '/recordings' },
  pause: { until: instant },
  resume: undefined,
  uploadNow: { id: 1 },
  cancelUploadNow: { id: null },
  locateRecording: { id: 1, text: 'run', sort: 'name', pinned: true },
  retryRecordings: ids,
  prioritiseRecordings: ids,
  pauseRecordings: ids,
  resumeRecordings: ids,
  dismissRecordings: { matching: { text: 'run', standings: ['needs-attention'] } },
  previewIgnore: { id: 1 },
  ignoreRecordings: { folder: '/recordings', pattern: '**/*.log' },
  openWindow: undefined,
  actOnPaths: { action: 'dismiss', paths: ['/recordings/take.bin'] },
  replaceEdited: [{ path: '/recordings/take.bin', sha256: '0'.repeat(64) }],
  uploadPathsNow: { isOn: true, paths: ['/recordings/take.bin'] },
  undoAction: { undo: 1 },
  startAgent: undefined,
  makeSupportReport: { app: {}, agentHealth: {} },
  getActionProgress: undefined,
  retryProblem: { code: 'site-refused' },
  acceptOrganisation: undefined,
  acceptReplacedFolder: { path: '/recordings' },
  listSessions: { site: 'Hall 3', status: 'uploading', createdFrom: instant, cursor: 'c', limit: 10 },
  getSession: { id: 'ses_1' },
  deleteSession: { id: 'ses_1', typed: 'delete' },
  testKey: { baseUrl: 'no address', apiKey: 'svc_test_abc' },
  createWebhookEndpoint: {
    url: 'https://hooks.example.com/sluice',
    events: ['session.processed'],
    idempotencyKey: '7f1c6f3e-5a0b-4a53-9a2e-0d7a3f1b2c4d',
  },
  getReceiver: undefined,
  getMonitoring: undefined,
  sendHeartbeat: undefined,
  sendTestAlert: undefined,
  saveMonitoringSecret: { which: 'token', value: 'a-token-of-the-test', acceptUnprotected: false },
  forgetMonitoringSecret: { which: 'alert_url' },
  checkStation: undefined,
  makeReceipt: { of: { ids: [1] }, format: 'csv' },
  getSupportFacts: { id: 1 },
  getKnownSites: undefined,
  getStatusReport: undefined,
  getWatchSnapshot: undefined,
  getExportedRecordings: { since: null, until: null },
  checkFolder: { path: '/no such folder' },
  reconnect: undefined,
  getAgentHealth: undefined,
  getAppInfo: undefined,
  getLicences: undefined,
  getSettings: undefined,
  saveSettings: { folders: [{ path: '/recordings', site: 'Hall 3' }] },
  exportSettings: undefined,
  readSettingsFile: undefined,
  getSecretStorage: undefined,
  saveKey: { baseUrl: 'https://api.example.com', apiKey: 'svc_test_abc', acceptUnprotected: false },
  forgetKey: undefined,
  getWebhookEndpoints: undefined,
  registerWebhook: {
    url: 'https://hooks.example.com/sluice',
    events: ['session.failed', 'export.failed'],
    acceptUnprotected: false,
  },
  forgetWebhooks: undefined,
  makeSampleFolder: undefined,
  pickFolder: undefined,
  showRecording: { id: 1 },
  openFolder: { which: 'logs' },
  saveSupportReport: undefined,
  saveReceipt: { of: { since: instant, until: instant } },
  showSupportReport: undefined,
  saveView: { view: '{}' },
  takeSavedView: undefined,
  pageDrawn: undefined,
  getSandboxHealth: undefined,
  startSandbox: undefined,
}

const callNames = Object.keys(calls) as CallName[]
const tooManyIds = fc.constant({ ids: Array.from({ length: 100_001 }, () => 'no id') })

const argumentsOf = (name: CallName): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 40, arbitrary: hostileValue },
    {
      weight: 120,
      arbitrary: validArguments[name] === undefined ? hostileValue : mutationsOf(validArguments[name]),
    },
    { weight: 20, arbitrary: fc.constant(validArguments[name]) },
    ...(name === 'retryRecordings' ? [{ weight: 1, arbitrary: tooManyIds }] : []),
  )

type Call = { readonly name: CallName; readonly args: unknown }

const anyCall = (names: readonly CallName[]): fc.Arbitrary<Call> => {
  const arbitraries = names.map((name) => argumentsOf(name).map((args) => ({ name, args })))
  return fc.oneof(...arbitraries)
}

/** An answer must be a value, or an error of a known kind with a sentence. */
const expectAnswer = (answer: CallAnswer<unknown>): void => {
  if (answer.ok) return
  const { kind, message } = answer.error
  if (!['bad-arguments', 'foreign-sender', 'refused', 'failed'].includes(kind) || typeof message !== 'string')
    throw new Error(`not an answer: ${kind}`)
}

export const callSchemas = (runs: number): FuzzTarget<Call> => ({
  name: 'calls: the schemas of the table',
  runs,
  inputs: anyCall(callNames),
  check: ({ name, args }) => calls[name].args.safeParse(args).success,
})

/** The frame that sends the call: the page itself, no frame, or a frame that may not call. */
const frame = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ url: 'sluice://app/', parent: null }) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.record({ url: hostileText, parent: fc.constantFrom(null, {}) }) },
)

type FramedCall = Call & { readonly from: { readonly url: string; readonly parent: object | null } | null }

export const shellCalls = (runs: number): FuzzTarget<FramedCall> => {
  let turn = 0
  /** By turns, throws an error, answers and refuses. */
  const handler = () => {
    turn += 1
    if (turn % 3 === 0) throw new Refused('Not now.')
    if (turn % 3 === 1) throw new Error('svc_live_inside')
    return null
  }
  const shellCalls = Object.fromEntries(
    callNames.filter((name) => calls[name].by === 'shell').map((name) => [name, handler]),
  ) as unknown as ShellCalls
  const parts = {
    pageUrl: 'sluice://app/',
    calls: shellCalls,
    refusal: refusalOf('1'),
    ask: async () => turn % 2 === 0,
    callAgent: async () => ({ ok: true, value: null }) as const,
    log: () => undefined,
  }
  return {
    name: 'calls: the main process',
    runs,
    inputs: fc.tuple(anyCall(callNames), frame).map(([call, from]) => ({ ...call, from })),
    check: async ({ name, args, from }) => {
      const answer = await answerCall(parts, from, name, args)
      expectAnswer(answer)
      if (from === null && (answer.ok || answer.error.kind !== 'foreign-sender'))
        throw new Error('answered a foreign frame')
      if (!answer.ok && answer.error.message.includes('svc_live_inside'))
        throw new Error('revealed an internal error')
    },
  }
}

const failures: readonly Failure[] = [
  { kind: 'cancelled' },
  { kind: 'not-found', message: 'gone', requestId: 'req_1' },
  { kind: 'network', origin: 'control', connected: false, detail: 'no network' },
  { kind: 'auth', reason: 'refused', message: 'no', requestId: null },
]

/** A service on which every call fails, with the failures above in turn. */
const failingService = (): ServiceClient => {
  let turn = 0
  const fail = async () => {
    turn += 1
    return { ok: false, failure: failures[turn % failures.length] }
  }
  return new Proxy({} as ServiceClient, { get: () => fail })
}

/** The calls that the agent itself answers, on a real journal. Disk and network are simulated. */
export const agentCalls = (journal: Journal, runs: number): FuzzTarget<Call> => {
  const agent = {
    journal,
    progress: new Progress(systemClock),
    service: failingService(),
    settings: null,
    systemProxy: { kind: 'direct' },
    paths: pathsOf(process.platform),
    platform: {
      folderAccess: {
        scan: async () => ({ kind: 'offline', detail: 'simulated' }),
        volumeOf: async () => null,
      },
      files: { identify: async () => ({ ok: false }), freeBytes: async () => null },
      operations: { sameDrive: async () => false },
    },
    status: () => ({ station: { conditions: [] } }),
    keyFor: () => null,
    webhookReceiverStatus: { listening: null, refused: null },
    webhookSecrets: [],
    monitoring: noMonitoring,
    standingContext: { service: null, sending: false },
    nowMs: systemClock.wallMs,
    checkSilence: () => undefined,
    watcherOf: () => undefined,
    reportError: (error: unknown) => {
      throw error
    },
  } as unknown as Agent
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const answer = createAgentCalls(agent, log)
  return {
    name: 'calls: the agent',
    runs,
    inputs: anyCall(callNames.filter((name) => calls[name].by === 'agent')),
    check: async ({ name, args }) => expectAnswer(await answer(name as AgentCallName, args)),
  }
}
