import { liveStates } from '../../../main/agent/domain/states.ts'
import { type MetricsFacts, metricsText } from '../../../main/agent/domain/station-metrics.ts'
import { standings } from '../../../shared/status/standing.ts'
import { aProblem, aSilentFolder, aStatus } from '../../unit/main/shell/status-fixture.ts'

const AT = '2026-11-15T16:00:00.000Z'
const atMs = Date.parse(AT)
const ago = (seconds: number) => new Date(atMs - seconds * 1000).toISOString()

export const metricsOf = metricsText

/** A station with values for every metric. */
export const aBusyStation = (name = 'Lab 7'): MetricsFacts => {
  const silent = aSilentFolder('/rec/4', 'Hall 4')
  const status = aStatus({
    at: AT,
    update: {
      version: '1.0.0',
      mode: 'automatic',
      channel: 'stable',
      checkedAt: ago(60),
      offered: { version: '1.1.0', since: ago(3_600), phase: 'waiting' },
      lastResult: { version: '1.0.0', ok: false, at: ago(86_400), reason: 'it did not start' },
    },
    station: {
      name,
      state: 'attention',
      clockOffsetMs: -2_500,
      // A proxy can cause the same code in two conditions.
      conditions: ['clock-wrong', 'proxy-sign-in', 'proxy-sign-in'].map((code) =>
        aProblem({ code: code as 'clock-wrong', owner: 'admin', endsBy: 'settings' }),
      ),
    },
    standings: {
      ...(Object.fromEntries(standings.map((standing) => [standing, 0])) as Record<'safe', number>),
      safe: 40,
    } as never,
    folders: [
      { ...silent, path: 'C:\\rec "3"', site: 'Hall 3', silence: null, lastFoundAt: ago(60) },
      { ...silent, silence: silent.silence && { ...silent.silence, since: ago(7_200) } },
    ],
    takesToCheck: {
      count: 3,
      held: 0,
      newest: [
        {
          id: 1,
          name: 'run.mcap',
          folder: 'C:\\rec "3"',
          isHeld: false,
          willBeHeld: false,
          deviations: ['/imu is missing.'],
        },
      ],
    },
    driveSpace: [
      {
        name: 'D:\\',
        folders: ['C:\\rec "3"'],
        space: { totalBytes: 10_000, freeBytes: 5_000 },
        answering: true,
        safeBytes: null,
        fills: { kind: 'unknown' },
        low: false,
      },
    ],
    forecast: {
      kind: 'known',
      bytes: 3_000,
      bytesPerSecond: 10,
      startsAt: null,
      doneAt: ago(-300),
      earliest: null,
      latest: null,
      deadline: null,
      bytesShort: 900,
      atRisk: null,
      more: null,
    },
  })
  const emptyBacklog = Object.fromEntries(liveStates.map((state) => [state, { files: 0, bytes: 0 }]))
  return {
    status,
    version: '0.1.0',
    backlog: { ...emptyBacklog, ready: { files: 2, bytes: 3_000 } } as unknown as MetricsFacts['backlog'],
    holds: { technician: 0, admin: 2, service: 0, nobody: 1 },
    oldestWaitingAtMs: atMs - 3_600_000,
    lastProcessedAtMs: atMs - 4_800_000,
    sentBytes: 123_456,
    processed: 7,
    failures: new Map([['site-refused', 2]]),
    startedAtMs: atMs - 60_000,
    residentBytes: 90_000_000,
  }
}
