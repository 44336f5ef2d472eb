import { describe, expect, it } from 'vitest'
import { batchProgress, peakBytesLeft } from '../../../../main/shell/batch-progress.ts'
import { emptyView, taskbarView } from '../../../../main/shell/taskbar/taskbar-view.ts'
import type { AgentHealth } from '../../../../shared/ipc/ipc.ts'
import type { StationState, Status } from '../../../../shared/status/status.ts'
import { aProblem, aSilentFolder, aStatus } from './status-fixture.ts'

const running: AgentHealth = { state: 'running', restarts: 0 }
const PEAK = 1000
const halfSent = { bytesLeft: 500 }
const passes = aProblem({ code: 'service-unreachable', endsBy: 'time' })
const stops = aProblem({ code: 'key-refused', endsBy: 'key' })
const show = (status: Status | null, health = running) => taskbarView({ status, health }, PEAK)

/** Each state with all its possible conditions, as the agent's snapshot combines them. */
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
  ['offline', { state: 'offline', problem: passes }, { mode: 'paused' }, false],
  ['paused and offline', { state: 'offline', paused: true, problem: passes }, { mode: 'paused' }, false],
  ['stopped until a user acts', { state: 'attention', problem: stops }, { mode: 'error' }, true],
  ['one recording needs attention, the others continue', { state: 'attention' }, { mode: 'normal' }, true],
  [
    'one recording needs attention, and the station is paused',
    { state: 'attention', paused: true },
    { mode: 'paused' },
    true,
  ],
]

describe('taskbar and dock', () => {
  it.each(cases)('%s, with bytes to send', (_name, station, progress, attention) => {
    const view = show(aStatus({ station, transfer: halfSent, needAttention: attention ? 3 : 0 }))
    expect(view.progress).toEqual(progress === null ? null : { done: 0.5, ...progress })
    expect(view.overlay).toEqual(
      attention ? { icon: 'attention', description: '3 things need attention' } : null,
    )
    expect(view).toMatchObject({ badge: attention ? '3' : '', badgeCount: attention ? 3 : 0 })
  })
  it.each(cases)('%s, with nothing to send, shows no bar', (_name, station) => {
    expect(show(aStatus({ station })).progress).toBeNull()
  })
  it('a folder with a loud silence counts as needing attention', () => {
    const silent = [aSilentFolder('/rec/hall', 'Hall 3')]
    expect(show(aStatus({ station: { state: 'attention' }, folders: silent })).badge).toBe('1')
  })
  it('an idle station shows nothing', () => {
    expect(show(aStatus())).toEqual(emptyView)
  })
  it('shows nothing while the agent is not running', () => {
    const status = aStatus({ station: { state: 'attention' }, transfer: halfSent })
    expect(show(status, { state: 'restarting', restarts: 1 })).toEqual(emptyView)
    expect(show(null)).toEqual(emptyView)
  })
  it('shows why the agent cannot run', () => {
    const health: AgentHealth = { state: 'restarting', restarts: 1, trouble: 'The journal is in use.' }
    expect(show(null, health)).toEqual({
      progress: null,
      overlay: { icon: 'attention', description: 'The journal is in use.' },
      badge: '!',
      badgeCount: 1,
    })
  })
  it('counts recordings once, and adds problems without recordings', () => {
    const problems = [
      { problem: aProblem(), count: 2, examples: [] },
      { problem: aProblem({ code: 'folder-offline' }), count: 0, folder: '/rec', examples: [] },
      { problem: passes, count: 0, examples: [] },
    ]
    const view = show(aStatus({ station: { state: 'attention' }, problems, needAttention: 2 }))
    expect(view).toMatchObject({ badge: '3', badgeCount: 3 })
  })
  it('counts a folder with a problem in every state of the station', () => {
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
      const view = show(aStatus({ station: { state }, problems, folders: [folder] }))
      expect(view).toMatchObject({
        badge: '1',
        badgeCount: 1,
        overlay: { icon: 'attention', description: '1 thing needs attention' },
      })
    }
  })
  it('shows the headline if there is nothing to count', () => {
    const view = show(aStatus({ station: { state: 'attention', headline: 'Come and look.' } }))
    expect(view).toMatchObject({ badge: '!', overlay: { description: 'Come and look.' } })
  })
  it('the bar moves in visible steps', () => {
    const at = (bytesLeft: number) =>
      show(aStatus({ station: { state: 'working' }, transfer: { bytesLeft } }))
    expect(at(996)).toEqual(at(999))
    expect(at(989)).not.toEqual(at(999))
  })
})

describe('the progress of the batch', () => {
  it('is measured from the peak, and resets when everything is uploaded', () => {
    const left = (bytesLeft: number) => aStatus({ transfer: { bytesLeft } })
    expect(peakBytesLeft(0, left(1000))).toBe(1000)
    expect(peakBytesLeft(1000, left(400))).toBe(1000)
    expect(peakBytesLeft(1000, left(0))).toBe(0)
    expect(batchProgress(1000, left(400))).toBe(0.6)
    expect(batchProgress(0, left(0))).toBeNull()
  })
})
