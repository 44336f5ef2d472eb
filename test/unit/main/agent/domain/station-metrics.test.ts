import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatExposition } from '../../../../../main/agent/domain/prometheus-text.ts'
import { aBusyStation, metricsOf } from '../../../../support/monitoring/busy-station.ts'
import { needs, program } from '../../../../support/needs.ts'

const MONITORING = path.join(import.meta.dirname, '../../../../../docs/monitoring')
const RULES = path.join(MONITORING, 'sluice.rules.yml')
const promtool = program('promtool')

const runPromtool = (args: readonly string[], input = ''): string =>
  execFileSync('promtool', args, { input, encoding: 'utf8', cwd: MONITORING, stdio: 'pipe' })

/** The value of one line, by its name and one of its labels. */
const valueOfLine = (text: string, name: string, label = ''): number | null => {
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label))
  return line === undefined ? null : Number(line.slice(line.lastIndexOf(' ') + 1))
}

describe('the metrics of a station', () => {
  const text = metricsOf(aBusyStation())

  test('pass Prometheus’ own checker without a warning', needs(promtool), () => {
    expect(runPromtool(['check', 'metrics'], text)).toBe('')
  })

  test.each([
    ['sluice_backlog_files', 'state="ready"', 2],
    ['sluice_backlog_bytes', 'state="ready"', 3_000],
    ['sluice_recordings', 'standing="safe"', 40],
    ['sluice_oldest_waiting_seconds', '', 3_600],
    ['sluice_held_recordings', 'owner="admin"', 2],
    ['sluice_held_recordings', 'owner="nobody"', 1],
    ['sluice_takes_to_check', '', 3],
    ['sluice_sent_bytes_total', '', 123_456],
    ['sluice_recordings_processed_total', '', 7],
    ['sluice_failures_total', 'kind="site-refused"', 2],
    ['sluice_last_success_timestamp_seconds', '', 1_794_753_600],
    ['sluice_station_state', 'state="attention"', 1],
    ['sluice_station_state', 'state="idle"', 0],
    ['sluice_station_condition', 'code="clock-wrong"', 1],
    ['sluice_folder_silent', 'site="Hall 4"', 1],
    ['sluice_folder_silence_seconds', 'site="Hall 4"', 7_200],
    ['sluice_folder_silence_seconds', 'site="Hall 3"', 0],
    ['sluice_folder_available', 'site="Hall 4"', 1],
    ['sluice_drive_free_bytes', 'drive="D:\\\\"', 5_000],
    ['sluice_forecast_short_bytes', '', 900],
    ['sluice_service_reachable', '', 1],
    ['sluice_clock_offset_seconds', '', -2.5],
  ])('are correct: %s %s', (name, label, value) => {
    expect(valueOfLine(text, name, label)).toBe(value)
  })

  test('have the station’s name, correctly escaped, on every line', () => {
    const metrics = metricsOf(aBusyStation('Lab "7"\\\n\ud800'))
    const lines = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(lines.length).toBeGreaterThan(40)
    expect(lines.filter((line) => !line.includes('station="Lab \\"7\\"\\\\\\n\ufffd"'))).toEqual([])
  })

  test('contain no names of recordings, and no series twice', () => {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(text).not.toContain('.mcap')
    expect(new Set(lines.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(lines.length)
  })

  test('omit unknown values instead of reporting 0', () => {
    const busyStation = aBusyStation()
    const status = {
      ...busyStation.status,
      station: { ...busyStation.status.station, serviceReachable: null, clockOffsetMs: null },
      forecast: { kind: 'unmeasured', bytes: 5 } as const,
    }
    const metrics = metricsOf({ ...busyStation, status, lastProcessedAtMs: null })
    for (const name of ['service_reachable', 'clock_offset_seconds', 'forecast_', 'last_success'])
      expect(metrics).not.toContain(`sluice_${name}`)
  })

  test('have no lines for a family without samples', () => {
    expect(formatExposition([{ name: 'a', type: 'gauge', help: 'b', samples: [] }], {})).toBe('')
  })
})

describe('the files in docs/monitoring', () => {
  /** The names of all metrics that the endpoint serves or `sluice.rules.yml` defines, and Prometheus' own `up`. */
  const servedNames = new Set([
    'up',
    ...metricsOf(aBusyStation())
      .split('\n')
      .flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []),
    ...[...readFileSync(RULES, 'utf8').matchAll(/record: (\S+)/g)].map(([, name = '']) => name),
  ])
  const namesIn = (expression: string): readonly string[] =>
    expression.replace(/"[^"]*"/g, '').match(/\b(?:sluice[\w:]*|process_\w+|up)\b/g) ?? []
  const dashboard = JSON.parse(readFileSync(path.join(MONITORING, 'dashboard.json'), 'utf8')) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[]
  }
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

  test('name only metrics that the endpoint serves', () => {
    const expressions = [...readFileSync(RULES, 'utf8').matchAll(/expr: (.*)/g)].map(([, expr = '']) => expr)
    expect(expressions.length).toBeGreaterThan(10)
    expect(queries.length).toBeGreaterThan(20)
    expect([...expressions, ...queries].flatMap(namesIn).filter((name) => !servedNames.has(name))).toEqual([])
    expect([...expressions, ...queries].filter((expr) => namesIn(expr).length === 0)).toEqual([])
  })

  test('use every served metric on the dashboard or in a rule, except three known ones', () => {
    const usedNames = new Set([...queries, readFileSync(RULES, 'utf8')].flatMap(namesIn))
    const knownUnused = [
      'sluice_recordings',
      'sluice_drive_answering',
      'sluice_folder_last_found_timestamp_seconds',
    ]
    expect([...servedNames].filter((name) => !usedNames.has(name)).sort()).toEqual(knownUnused.sort())
  })

  test('list exactly the served metrics in README.md', () => {
    const page = readFileSync(path.join(MONITORING, 'README.md'), 'utf8')
    const listedNames = [...page.matchAll(/`((?:sluice|process)_\w+)`/g)].map(([, name = '']) => name)
    const ownNames = [...servedNames].filter((name) => name !== 'up' && !name.includes(':'))
    expect(listedNames.sort()).toEqual(ownNames.sort())
  })

  test('have rules that pass promtool’s check and their own tests', needs(promtool), () => {
    expect(runPromtool(['check', 'rules', 'sluice.rules.yml'])).toMatch(/SUCCESS: \d+ rules found/)
    expect(runPromtool(['test', 'rules', 'sluice.rules.test.yml'])).toContain('SUCCESS')
  })

  test('have, for each alert rule, a test in which it fires', () => {
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/alert: (\S+)/g)].map(([, name = '']) => name)
    const tests = readFileSync(path.join(MONITORING, 'sluice.rules.test.yml'), 'utf8')
    const firedAlerts = [...tests.matchAll(/alertname: (\S+)\n\s+exp_alerts:/g)].map(([, name = '']) => name)
    expect(alerts.filter((name) => !firedAlerts.includes(name))).toEqual([])
  })

  test('have only valid PromQL on the dashboard', needs(promtool), () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-dashboard-'))
    const rules = queries.map((expr, at) => ({
      record: `panel:query_${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$station', '.*'),
    }))
    writeFileSync(path.join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    try {
      expect(runPromtool(['check', 'rules', path.join(folder, 'rules.yml')])).toContain(
        `${queries.length} rules found`,
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('give each panel its own id', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })
})
