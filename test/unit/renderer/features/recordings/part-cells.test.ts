import { describe, expect, it } from 'vitest'
import { MAX_CELLS, partCells } from '../../../../../renderer/features/recordings/part-cells.ts'
import type { PartState } from '../../../../../shared/status/status.ts'

describe('the part map', () => {
  it('does not show a square as sent if one of its parts is missing', () => {
    const parts: PartState[] = Array.from({ length: 10_000 }, (_, index) =>
      index === 5_000 ? 'missing' : 'sent',
    )
    const { cells, partsPerCell, counts } = partCells(parts)
    expect(cells.length).toBeLessThanOrEqual(MAX_CELLS)
    expect(partsPerCell).toBe(21)
    expect(cells.filter((cell) => cell !== 'sent')).toEqual(['missing'])
    expect(counts).toEqual({ sent: 9_999, sending: 0, missing: 1 })
  })
  it('shows one square for each part if all parts fit', () => {
    expect(partCells(['sent', 'sending', 'missing']).cells).toEqual(['sent', 'sending', 'missing'])
  })
})
