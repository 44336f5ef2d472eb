import { type Figure, type Goal, type Missing, ratioOf, type Spread, spreadOf, verdictOf } from './figure.ts'

const round = (value: number): string => {
  if (!Number.isFinite(value)) return '-'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toFixed(digits)
}

/** The median, and its distance to the farther quartile. */
const spreadText = ({ low, middle, high }: Spread): string => {
  const relative = middle === 0 ? 0 : Math.max(high - middle, middle - low) / Math.abs(middle)
  return `${round(middle)} ±${(relative * 100).toFixed(0)} %`
}

const goalText = (goal: Goal, unit: string): string => {
  switch (goal.kind) {
    case 'none':
      return ''
    case 'own':
      return `${'atLeast' in goal ? `≥ ${round(goal.atLeast)}` : `≤ ${round(goal.atMost)}`} ${unit}`.trim()
    case 'times-the-reference':
      return 'atLeast' in goal ? `≥ ${round(goal.atLeast)} x` : `≤ ${round(goal.atMost)} x`
  }
}

type Cells = {
  readonly what: string
  readonly ours: string
  readonly reference: string
  readonly ratio: string
  readonly goal: string
}

const cellsOf = (figure: Figure): Cells => {
  const ratio = ratioOf(figure)
  const { reference, unit } = figure
  const verdict = verdictOf(figure)
  return {
    what: figure.what,
    ours: `${spreadText(spreadOf(figure.ours))} ${unit}`.trim(),
    reference:
      reference === null ? '' : `${reference.name}: ${spreadText(spreadOf(reference.values))} ${unit}`.trim(),
    ratio: ratio === null ? '' : spreadText(ratio),
    goal: [goalText(figure.goal, unit), verdict].filter((text) => text !== '').join(': '),
  }
}

/**
 * Formats a figure for a terminal of 80 columns. The subject, our value, the reference, the ratio with the goal, and
 * the note have one line each. An empty line is left out.
 */
export const terminalRow = (row: Figure | Missing): string => {
  if ('missing' in row) return `${row.what}\n  left out: ${row.missing}\n`
  const { what, ours, reference, ratio, goal } = cellsOf(row)
  const lines = [
    `  ours ${ours}`,
    reference === '' ? '' : `  ${reference}`,
    [ratio === '' ? '' : `ratio ${ratio}`, goal].filter((text) => text !== '').join('; '),
    row.note ?? '',
  ].filter((line) => line !== '')
  return `${what}\n${lines.map((line) => (line.startsWith('  ') ? line : `  ${line}`)).join('\n')}\n`
}

export const markdownTable = (rows: readonly (Figure | Missing)[]): string => {
  const lines = rows.map((row) => {
    if ('missing' in row) return `| ${row.what} | left out: ${row.missing} | | | |`
    const { what, ours, reference, ratio, goal } = cellsOf(row)
    const subject = row.note === undefined ? what : `${what} (${row.note})`
    return `| ${subject} | ${ours} | ${reference} | ${ratio} | ${goal} |`
  })
  return ['| what | ours | reference | ratio | goal |', '|---|---|---|---|---|', ...lines].join('\n')
}
