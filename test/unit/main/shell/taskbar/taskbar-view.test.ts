import { describe, expect, it } from 'vitest'
import { batchProgress, peakBytesLeft } from '../../../../../main/shell/batch-progress.ts'
import { emptyView, taskbarView } from '../../../../../main/shell/taskbar/taskbar-view.ts'
import type { AgentHealth } from '../../../../../shared/ipc/agent-health.ts'
import type { StationState, Status } from '../../../../../shared/status/status.ts'
import { aProblem, aSilentFolder, aStatus } from '../status-fixture.ts'

const running: AgentHealth = { state: 'running', restarts: 0 }
const PEAK_BYTES = 1000
const halfSent = { bytesLeft: 500 }
const selfClearing = aProblem({ code: 'service-unreachable', endsBy: 'time' })
const stopping = aProblem({ code: 'key-refused', endsBy: 'key' })
const viewOf = (status: Status | null, health = running) => taskbarView({ status, health }, PEAK_BYTES)

/** Each row: a name, fields of the station's status, the expected bar, and whether attention is needed. */
const cases: readonly [
  string,
  { readonly state: StationState } & Partial<Status['station']>,
  { readonly mode: 'normal' | 'paused' | 'error' } | null,
  boolean,
][] = [
  ['not set up', { state: 'starting' }, null, false],
  ['working', { state: 'working' }, { mode: 'normal' }, false],
  [
    'waiting for the upload hours',
    { state: 'working', outsideWindowUntil: 'later' },
    { mode: 'paused' },
    false,
  ],
  ['paused', { state: 'paused', paused: true }, { mode: 'paused' }, false],
  ['offline', { state: 'offline', problem: selfClearing }, { mode: 'paused' }, false],
  [
    'paused and offline',
    { state: 'offline', paused: true, problem: selfClearing },
    { mode: 'paused' },
    false,
  ],
  ['stopped until a user acts', { state: 'attention', problem: stopping }, { mode: 'error' }, true],
  ['one recording needs attention, the others continue', { state: 'attention' }, { mode: 'normal' }, true],
  [
    'one recording needs attention, and the station is paused',
    { state: 'attention', paused: true },
    { mode: 'paused' },
    true,
  ],
]

describe('taskbar and dock', () => {
  it.each(cases)('show the state of a station with bytes to send: %s', (_, station, progress, attention) => {
    const view = viewOf(aStatus({ station, transfer: halfSent, needAttention: attention ? 3 : 0 }))
    expect(view.progress).toEqual(progress === null ? null : { done: 0.5, ...progress })
    expect(view.overlay).toEqual(
      attention ? { icon: 'attention', description: '3 things need attention' } : null,
    )
    expect(view).toMatchObject({ badge: attention ? '3' : '', badgeCount: attention ? 3 : 0 })
  })
  it.each(cases)('show no bar for a station with nothing to send: %s', (_, station) => {
    expect(viewOf(aStatus({ station })).progress).toBeNull()
  })
  it('count a silent folder whose setting allows notifications as needing attention', () => {
    const silent = [aSilentFolder('/rec/hall', 'Hall 3')]
    expect(viewOf(aStatus({ station: { state: 'attention' }, folders: silent })).badge).toBe('1')
  })
  it('show nothing for an idle station', () => {
    expect(viewOf(aStatus())).toEqual(emptyView)
  })
  it('show nothing while the agent is not running', () => {
    const status = aStatus({ station: { state: 'attention' }, transfer: halfSent })
    expect(viewOf(status, { state: 'restarting', restarts: 1 })).toEqual(emptyView)
    expect(viewOf(null)).toEqual(emptyView)
  })
  it('show why the agent cannot run', () => {
    const health: AgentHealth = { state: 'restarting', restarts: 1, trouble: 'The journal is in use.' }
    expect(viewOf(null, health)).toEqual({
      progress: null,
      overlay: { icon: 'attention', description: 'The journal is in use.' },
      badge: '!',
      badgeCount: 1,
    })
  })
  it('count recordings that need attention, and problems without recordings that do not clear by themselves', () => {
    const problems = [
      { problem: aProblem(), count: 2, examples: [] },
      { problem: aProblem({ code: 'folder-offline' }), count: 0, folder: '/rec', examples: [] },
      { problem: selfClearing, count: 0, examples: [] },
    ]
    const view = viewOf(aStatus({ station: { state: 'attention' }, problems, needAttention: 2 }))
    expect(view).toMatchObject({ badge: '3', badgeCount: 3 })
  })
  it('count a folder with a problem in every state of the station except `starting`', () => {
    const problem = aProblem({ code: 'folder-offline', endsBy: 'file' })
    const folder = {
      path: '/rec',
      site: 'Hall 3',
      device: null,
      state: 'offline',
      problem,
      problems: [{ problem, since: '2026-03-11T17:00:00.000Z', leftOut: [], leftOutCount: 0 }],
      recordings: 0,
      waiting: 0,
      lastFoundAt: null,
      silence: null,
    } as const
    const problems = [{ problem, count: 0, folder: '/rec', examples: [] }]
    for (const state of ['offline', 'paused', 'working', 'idle'] as const) {
      const view = viewOf(aStatus({ station: { state }, problems, folders: [folder] }))
      expect(view).toMatchObject({
        badge: '1',
        badgeCount: 1,
        overlay: { icon: 'attention', description: '1 thing needs attention' },
      })
    }
  })
  it('show the headline if there is nothing to count', () => {
    const view = viewOf(aStatus({ station: { state: 'attention', headline: 'Come and look.' } }))
    expect(view).toMatchObject({ badge: '!', overlay: { description: 'Come and look.' } })
  })
  it('do not change the bar for a difference that nobody sees', () => {
    const viewAt = (bytesLeft: number) =>
      viewOf(aStatus({ station: { state: 'working' }, transfer: { bytesLeft } }))
    expect(viewAt(996)).toEqual(viewAt(999))
    expect(viewAt(989)).not.toEqual(viewAt(999))
  })
})

describe('the progress of the batch', () => {
  it('is measured from the highest number of bytes left, and resets when everything is uploaded', () => {
    const statusWithBytesLeft = (bytesLeft: number) => aStatus({ transfer: { bytesLeft } })
    expect(peakBytesLeft(0, statusWithBytesLeft(1000))).toBe(1000)
    expect(peakBytesLeft(1000, statusWithBytesLeft(400))).toBe(1000)
    expect(peakBytesLeft(1000, statusWithBytesLeft(0))).toBe(0)
    expect(batchProgress(1000, statusWithBytesLeft(400))).toBe(0.6)
    expect(batchProgress(0, statusWithBytesLeft(0))).toBeNull()
  })
})
