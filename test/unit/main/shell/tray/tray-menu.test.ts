import { describe, expect, it } from 'vitest'
import { peakBytesLeft } from '../../../../../main/shell/batch-progress.ts'
import { type TrayItem, trayIcon, trayMenu } from '../../../../../main/shell/tray/tray-menu.ts'
import type { AgentHealth } from '../../../../../shared/ipc/agent-health.ts'
import { pauseEnd } from '../../../../../shared/status/pause.ts'
import type { StationState, Status } from '../../../../../shared/status/status.ts'
import { stationLine } from '../../../../../shared/words/station-line.ts'
import { aProblem, aRow, aStatus } from '../status-fixture.ts'

const running: AgentHealth = { state: 'running', restarts: 0 }
const labelsOf = (items: readonly TrayItem[]) =>
  items.map((item) => (item.kind === 'separator' ? '-' : item.label))

describe('the tray', () => {
  it('offers “Upload now anyway” if recordings wait for the upload hours, and “Wait for upload hours” after that choice', () => {
    const uploadItems = (station: Partial<Status['station']>, waiting: number) => {
      const status = aStatus({ station })
      return labelsOf(
        trayMenu({
          status: { ...status, standings: { ...status.standings, waiting } },
          health: running,
          startAtLogin: true,
          system: 'linux',
        }),
      ).filter((label) => /anyway|upload hours/.test(label))
    }
    const later = '2026-03-12T18:00:00.000Z'
    expect(uploadItems({}, 3)).toEqual([])
    expect(uploadItems({ outsideWindowUntil: later }, 0)).toEqual([])
    expect(uploadItems({ outsideWindowUntil: later }, 3)).toEqual(['Upload now anyway'])
    const uploadNow = { until: later, station: true, recordings: 0 }
    expect(uploadItems({ outsideWindowUntil: later, uploadNow }, 0)).toEqual(['Wait for upload hours'])
  })

  it('shows the status and the last five recordings, and offers pause, open, start at login and quit', () => {
    const recent = Array.from({ length: 7 }, (_, index) =>
      aRow({ id: index + 1, name: `take-${index + 1}.mcap` }),
    )
    const items = trayMenu({
      status: aStatus({ recent }),
      health: running,
      startAtLogin: true,
      system: 'linux',
    })
    expect(labelsOf(items)).toEqual([
      'All 42 recordings are safe',
      'Last one 3 min ago',
      '-',
      ...[1, 2, 3, 4, 5].map((number) => `take-${number}.mcap  ·  Safe  ·  2.0 GB`),
      '-',
      'Pause uploads',
      'Open Sluice',
      'Start at login',
      '-',
      'Quit Sluice',
    ])
    const pause = items.find((item) => item.kind === 'menu')
    expect(pause?.kind === 'menu' && labelsOf(pause.items)).toEqual([
      'For 1 hour',
      'Until 06:00',
      'Until I resume',
    ])
    expect(items).toContainEqual(expect.objectContaining({ label: 'Start at login', checked: true }))
  })

  it('shows below the status that a test key does not reach production', () => {
    const view = { health: running, startAtLogin: false, system: 'linux' } as const
    const menu = (testKey: boolean) =>
      labelsOf(trayMenu({ ...view, status: aStatus({ station: { testKey } }) }))
    expect(menu(true)[1]).toBe('Test key: nothing here reaches production.')
    expect(menu(false)).not.toContain('Test key: nothing here reaches production.')
  })

  it('offers to resume while paused, but only if the agent is running', () => {
    const paused = aStatus({ station: { paused: true, state: 'paused' } })
    expect(
      labelsOf(trayMenu({ status: paused, health: running, startAtLogin: false, system: 'linux' })),
    ).toContain('Resume uploads')
    const withoutAgent = trayMenu({
      status: paused,
      health: { state: 'restarting', restarts: 1 },
      startAtLogin: false,
      system: 'linux',
    })
    expect(labelsOf(withoutAgent)).not.toContain('Resume uploads')
    expect(labelsOf(withoutAgent)[0]).toMatch(/Reconnecting/)
  })

  it.each([
    ['windows', 'Start at sign-in'],
    ['macos', 'Open at login'],
    ['linux', 'Start at login'],
  ] as const)('uses the words of %s: %s', (system, label) => {
    const items = trayMenu({ status: null, health: running, startAtLogin: false, system })
    expect(labelsOf(items)).toContain(label)
  })

  it('shows the progress of a recording, keeps the ampersand in its name and shortens a very long name', () => {
    const recent = [aRow({ state: 'uploading', name: `left & right ${'x'.repeat(80)}.mcap` })]
    const [, , , item] = labelsOf(
      trayMenu({ status: aStatus({ recent }), health: running, startAtLogin: false, system: 'linux' }),
    )
    expect(item).toMatch(/^left && right x+…/)
    expect(item).toContain('Uploading 25%')
  })

  it('shows whether a recording waits, is paused or needs attention, and its upload progress', () => {
    const onHold = { problem: aProblem({ code: 'storage-error', endsBy: 'time' }) }
    const recent = [
      aRow({ state: 'uploading', ...onHold }),
      aRow({ state: 'ready', ...onHold }),
      aRow({ state: 'failed', problem: aProblem({ code: 'processing-failed' }) }),
      aRow({ state: 'uploading', paused: true, ...onHold }),
    ]
    const items = labelsOf(
      trayMenu({ status: aStatus({ recent }), health: running, startAtLogin: false, system: 'linux' }),
    )
    expect(items.slice(3, 7)).toEqual([
      'a.mcap  ·  Waiting 25%  ·  2.0 GB',
      'a.mcap  ·  Waiting  ·  2.0 GB',
      'a.mcap  ·  Needs attention  ·  2.0 GB',
      'a.mcap  ·  Paused 25%  ·  2.0 GB',
    ])
  })

  it('does not cut a character of a name in half', () => {
    const recent = [aRow({ name: `${'🎥'.repeat(80)}.mcap` })]
    const [, , , item] = labelsOf(
      trayMenu({ status: aStatus({ recent }), health: running, startAtLogin: false, system: 'linux' }),
    )
    expect(item).toMatch(/^(🎥){47}… /u)
  })

  it.each<[StationState, string]>([
    ['starting', 'idle'],
    ['idle', 'idle'],
    ['paused', 'paused'],
    ['attention', 'attention'],
    ['offline', 'offline'],
    ['working', 'working-0'],
  ])('has in the state %s the icon %s', (state, icon) => {
    const view = { status: aStatus({ station: { state } }), health: running }
    expect(trayIcon(view, 0)).toBe(icon)
  })

  it('fills the working icon with the progress of the batch', () => {
    const iconAt = (bytesLeft: number, peak: number) =>
      trayIcon(
        {
          status: aStatus({ station: { state: 'working' }, transfer: { bytesLeft } }),
          health: running,
        },
        peak,
      )
    let peak = 0
    const icons = [1000, 700, 450, 200].map((left) => {
      peak = peakBytesLeft(peak, aStatus({ transfer: { bytesLeft: left } }))
      return iconAt(left, peak)
    })
    expect(icons).toEqual(['working-0', 'working-25', 'working-50', 'working-75'])
  })

  it('shows why the agent cannot run', () => {
    const health: AgentHealth = { state: 'restarting', restarts: 2, trouble: 'The journal is in use.' }
    expect(stationLine({ status: null, health })).toBe('The journal is in use.')
    expect(trayIcon({ status: null, health }, 0)).toBe('attention')
  })
})

describe('a pause', () => {
  it.each([
    ['in the evening', new Date(2026, 2, 12, 21, 30), new Date(2026, 2, 13, 6)],
    ['after midnight', new Date(2026, 2, 13, 2, 0), new Date(2026, 2, 13, 6)],
    ['at exactly 06:00', new Date(2026, 2, 13, 6, 0), new Date(2026, 2, 14, 6)],
  ])('until 06:00 that begins %s ends at the next 06:00', (_, now, end) => {
    expect(pauseEnd('morning', now)).toBe(end.toISOString())
  })

  it('for an hour ends after an hour, and “Until I resume” has no end', () => {
    const now = new Date(2026, 2, 12, 21, 30)
    expect(pauseEnd('hour', now)).toBe(new Date(2026, 2, 12, 22, 30).toISOString())
    expect(pauseEnd('open-ended', now)).toBeNull()
  })
})
