import { seeded } from '../support/seeded.ts'
import { type SilenceScore, scoreSilence } from './silence.ts'
import { type StationKind, stationKinds, stationYear } from './station-years.ts'

const YEARS = 10
/** The last night of every made year. */
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
    hours: scores.flatMap(({ hoursUntilTold }) => hoursUntilTold).sort((a, b) => a - b),
  }
}

const shareOf = (sorted: readonly number[], share: number) =>
  (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1)

const cells = ({ kind, falsePerMonth, failures, missed, hours }: Row): readonly string[] => [
  kind,
  falsePerMonth.toFixed(2),
  String(failures),
  `${missed} (${((missed / failures) * 100).toFixed(0)} %)`,
  shareOf(hours, 0.5),
  shareOf(hours, 0.9),
]

const head = [
  'station',
  'false alarms a month',
  'failures',
  'missed',
  'hours until told, half',
  'nine of ten',
]

/** docs/silence.md, with what a year of made journals says. */
export const silencePage = (tell: (line: string) => void): string => {
  const rows = stationKinds.map((kind) => {
    const row = rowOf(kind)
    tell(cells(row).join('  '))
    return row
  })
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
  return `# Silence

“Hall 3 usually has 30 by now; none since 18:00.” Written by \`npm run evaluate -- silence\`.

## How it is decided

A night begins at 18:00 on this PC's clock and ends at the next 18:00; it is called by the day it begins on. The night
bar, the thirty nights, the folders' seven and this rule mean the same night. The rule is in
\`main/agent/domain/silence.ts\`, what it learns in \`recording-habit.ts\`; both are pure.

- **Learned** from the last eight weeks before the folder's last recording, the newest counting most: how likely a night
  that begins on each day of the week has recordings, and how likely each quarter of an hour has one. At least seven
  nights must be known. What lies before a fortnight without a recording belongs to another season.
- **Known** is only what was watched: quarters of an hour in which the agent ran and the folder was there. A night in
  which the PC was off is neither silent nor a habit.
- **Not begun**: nothing has come in a night that usually has recordings, later than the latest usual start and as much
  again as starts differ, at least half an hour.
- **Stopped**: since the last recording, one and a half times as many occupied quarters were expected as in the longest
  usual pause of nineteen nights out of twenty, at least four. An irregular recorder has long pauses and gets long
  patience.
- **Nights**: a folder that records on some nights only has stayed away for longer than one chance in a thousand.
- **Quiet by habit**: a day of the week on which it seldom records is never waited for; nor is a folder that stays empty
  on more than 15 % of its days.
- A silence lasts until something comes or somebody says *Not expected tonight*; said twice without a recording in
  between, the folder rests until it records again.
- No alarm while the station is paused, before a folder has been looked through, or while it is missing: that is told
  instead. The silence is kept in the journal, so the terminal's \`status\` tells it too.

## What a year of made journals says

${YEARS} years of each kind, in a zone whose clocks change, with somebody who answers each false alarm with *Not expected
tonight*. A false alarm is a night in which silence was told while nothing had failed; public holidays, closed weeks and
the end of a season cannot be known and count as such. A failure is a dead recorder that left out at least six
recordings; missed is one that recorded again before it was told. Hours are counted from the first recording that did
not come; an irregular bench that rests for days is told after days.

${table}

## What the nights cost

Counts for each quarter of an hour are kept by triggers of the journal, beside the other tallies. Thirty nights of the
station and seven of each folder are read when the page asks, not with every snapshot. With 100,000 recordings in four
folders, two minutes apart, that takes 20 ms of a processor, and a snapshot reads none of it. A folder is judged
when a quarter of an hour has passed without a recording; in between the look at four folders takes 0.4 ms.
`
}
