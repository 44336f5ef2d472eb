import { seeded } from '../support/seeded.ts'
import { percent, writePage } from './page.ts'
import { type RigName, rigNames, takeMonths } from './take-months.ts'
import { scoreTakes, type TakeScore } from './takes.ts'

const RUNS = 5

type Row = { readonly name: string } & Figures
type Figures = {
  readonly good: number
  readonly falseAlarms: number
  readonly found: number
  readonly missed: number
}

const figuresOf = (scores: readonly TakeScore[]): Figures => {
  const sum = (of: (score: TakeScore) => number) => scores.reduce((all, score) => all + of(score), 0)
  return {
    good: sum(({ good }) => good),
    falseAlarms: sum(({ falseAlarms }) => falseAlarms.length),
    found: sum(({ found }) => found.length),
    missed: sum(({ missed }) => missed.length),
  }
}

const scoresOf = (rig: RigName): readonly TakeScore[] =>
  Array.from({ length: RUNS }, (_, index) => {
    const random = seeded(index + 1)
    return scoreTakes(takeMonths(rig, random), random)
  })

const cells = ({ name, good, falseAlarms, found, missed }: Row): readonly string[] => [
  name,
  String(good),
  ((falseAlarms / good) * 200).toFixed(2),
  String(found + missed),
  percent(found / (found + missed)),
]

const head = ['folder', 'good recordings', 'false alarms in 200', 'faults', 'found']

/** Scores the comparison with the usual recordings, and writes the table into docs/takes.md. */
export const evaluateTakes = async (): Promise<void> => {
  const scores = rigNames.map((name) => ({ name, scores: scoresOf(name) }))
  const rows: readonly Row[] = [
    ...scores.map(({ name, scores: ofRig }) => ({ name, ...figuresOf(ofRig) })),
    { name: 'all', ...figuresOf(scores.flatMap(({ scores: ofRig }) => ofRig)) },
  ]
  const table = [head, head.map(() => '---'), ...rows.map(cells)]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n')
  await writePage('takes', table)
}
