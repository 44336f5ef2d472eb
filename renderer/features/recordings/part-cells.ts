import type { PartState } from '../../../shared/status/status.ts'
import { formatBytes, formatCount } from '../../../shared/words/format.ts'

/** More squares would make the map too tall. If there are more parts, one square stands for several parts. */
export const MAX_CELLS = 480

export type PartCells = {
  readonly cells: readonly PartState[]
  readonly partsPerCell: number
  readonly counts: Readonly<Record<PartState, number>>
}

const leastFinished = (a: PartState, b: PartState): PartState => {
  if (a === 'missing' || b === 'missing') return 'missing'
  return a === 'sending' || b === 'sending' ? 'sending' : 'sent'
}

/** A square for several parts shows the least finished part, so that the map never overstates the progress. */
export const partCells = (parts: readonly PartState[]): PartCells => {
  const partsPerCell = Math.max(1, Math.ceil(parts.length / MAX_CELLS))
  const counts = { sent: 0, sending: 0, missing: 0 }
  const cells: PartState[] = []
  parts.forEach((part, index) => {
    counts[part] += 1
    const cell = Math.floor(index / partsPerCell)
    cells[cell] = leastFinished(cells[cell] ?? 'sent', part)
  })
  return { cells, partsPerCell, counts }
}

/** "12 sent", "All 12 sent", or "1 part sent" if the recording has only one part. */
export const partWords = (state: PartState, count: number, total: number): string => {
  if (total === 1) return `1 part ${state}`
  return `${count === total ? 'All ' : ''}${formatCount(count)} ${state}`
}

/** "67.1 MB each". A recording smaller than one part shows its own size. Null before the file is hashed. */
export const partSizeWords = (
  total: number,
  partSizeBytes: number | null,
  sizeBytes: number,
): string | null => {
  if (partSizeBytes === null) return null
  return total === 1 ? formatBytes(Math.min(partSizeBytes, sizeBytes)) : `${formatBytes(partSizeBytes)} each`
}
