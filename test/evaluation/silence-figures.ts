import { seeded } from '../support/seeded.ts'
import { writePage } from './page.ts'
import { type SilenceScore, scoreSilence } from './silence.ts'
import { type StationKind, stationKinds, stationYear } from './station-years.ts'

const YEARS = 10
/** The last night of every simulated year. */
const lastNight = () => new Date(2026, 11, 31, 20).getTime()

type Row = {
  readonly kind: StationKind
  readonly falsePerMonth: number
  readonly failures: number
  readonly missed: number
  readonly hours: readonly number[]
}

const sum = (scores: readonly SilenceScore[], of: (score: SilenceScore) => number) =>
  scores.reduce((all, score) => all + of(score), 0)

const rowOf = (kind: StationKind): Row => {
  const scores = Array.from({ length: YEARS }, (_, index) =>
    scoreSilence(stationYear(kind, seeded(index + 1), lastNight())),
  )
  return {
    kind,
    falsePerMonth: sum(scores, ({ falseAlarms }) => falseAlarms.length) / (YEARS * 12),
    failures: sum(scores, ({ failures }) => failures),
    missed: sum(scores, ({ missed }) => missed),
    hours: scores.flatMap(({ hoursUntilAlarm }) => hoursUntilAlarm).sort((a, b) => a - b),
  }
}

const percentileOf = (sorted: readonly number[], share: number) =>
  (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1)

const cells = ({ kind, falsePerMonth, failures, missed, hours }: Row): readonly string[] => [
  kind,
  falsePerMonth.toFixed(2),
  String(failures),
  `${missed} (${((missed / failures) * 100).toFixed(0)} %)`,
  percentileOf(hours, 0.5),
  percentileOf(hours, 0.9),
]

const head = [
  'station',
  'false alarms a month',
  'failures',
  'missed',
  'hours to the alarm, median',
  '90th percentile',
]

/** Scores the silence rule on simulated years and writes the table into docs/silence.md. */
export const evaluateSilence = async (): Promise<void> => {
  const rows = stationKinds.map(rowOf)
  const failures = rows.reduce((all, row) => all + row.failures, 0)
  const missed = rows.reduce((all, row) => all + row.missed, 0)
  const alarms = rows.reduce((all, row) => all + row.falsePerMonth, 0) / rows.length
  const total = [
    'all',
    alarms.toFixed(2),
    `${failures}`,
    `${missed} (${((missed / failures) * 100).toFixed(1)} %)`,
    '',
    '',
  ]
  const table = [head, head.map(() => '---'), ...rows.map(cells), total]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n')
  await writePage('silence', table)
}
