import type { PartState } from '../../../shared/status/status.ts'

/** More squares would be too small to see; above this, one square shows several parts. */
export const MOST_CELLS = 480

export type PartCells = {
  readonly cells: readonly PartState[]
  readonly partsPerCell: number
  readonly counts: Readonly<Record<PartState, number>>
}

const worst = (a: PartState, b: PartState): PartState => {
  if (a === 'missing' || b === 'missing') return 'missing'
  return a === 'sending' || b === 'sending' ? 'sending' : 'sent'
}

/** A square for several parts shows the least finished one, so that progress is never overstated. */
export const partCells = (parts: readonly PartState[]): PartCells => {
  const partsPerCell = Math.max(1, Math.ceil(parts.length / MOST_CELLS))
  const counts = { sent: 0, sending: 0, missing: 0 }
  const cells: PartState[] = []
  parts.forEach((part, index) => {
    counts[part] += 1
    const cell = Math.floor(index / partsPerCell)
    cells[cell] = worst(cells[cell] ?? 'sent', part)
  })
  return { cells, partsPerCell, counts }
}
