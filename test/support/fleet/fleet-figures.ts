import { statSync } from 'node:fs'
import { cpus } from 'node:os'
import type { ServiceStats } from '../station.ts'
import type { FleetStation } from './fleet-station.ts'

type Run = {
  readonly recordedMinutes: number
  readonly processedMinutes: number
  readonly stations: readonly FleetStation[]
  readonly killed: number
  readonly stats: ServiceStats
}

const MB = 1_000_000

const minMedianMax = (values: readonly number[], digits = 0): readonly string[] => {
  const sorted = values.toSorted((a, b) => a - b)
  const valueAt = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(digits)
  return [valueAt(0), valueAt(0.5), valueAt(1)]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Describes the run. A table shows the lowest, median and highest cost of a station. */
export const describeFleet = (run: Run): string => {
  const { recordedMinutes, processedMinutes, stations, killed, stats } = run
  const recordings = sum(stations.map(({ writtenFiles }) => writtenFiles.length))
  const bytes = sum(stations.flatMap(({ writtenFiles }) => writtenFiles).map((file) => statSync(file).size))
  const requests = stations.map(({ proxy }) => proxy.requests)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rows: readonly (readonly string[])[] = [
    ['recordings', ...minMedianMax(stations.map(({ writtenFiles }) => writtenFiles.length))],
    [
      'memory at the end (PSS, MB)',
      ...minMedianMax(stations.map((station) => station.measurePssBytes() / MB)),
    ],
    ['peak memory (PSS, MB)', ...minMedianMax(stations.map(({ peakPssBytes }) => peakPssBytes / MB))],
    ['requests to the control API', ...minMedianMax(requests)],
    [
      'requests per recording',
      ...minMedianMax(
        stations.map(({ proxy, writtenFiles }) => proxy.requests / Math.max(1, writtenFiles.length)),
        1,
      ),
    ],
    ['processor time (s)', ...minMedianMax(stations.map((station) => station.cpuSeconds()))],
  ]
  const routes = Object.entries(stats.routes).map(([route, count]) => `${route} ${count}`)
  return [
    `${stations.length} agents on ${cpus().length} cores recorded for ${recordedMinutes.toFixed(0)} minutes. After ${processedMinutes.toFixed(0)} minutes, each of the ${recordings}`,
    `recordings (${(bytes / MB).toFixed(0)} MB) was processed once, with the bytes of its file. ${killed} agents were killed with`,
    'kill -9 in the middle of their work and started again.',
    '',
    line(['per agent', 'lowest', 'median', 'highest']),
    line(['---', '---', '---', '---']),
    ...rows.map(line),
    '',
    `All requests: ${routes.join(', ')}.`,
  ].join('\n')
}
