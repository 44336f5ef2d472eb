import type { PartState } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import { partCells, partSizeWords, partWords } from './part-cells.ts'

const COLUMNS = 30
const PITCH_PX = 12

/**
 * One shape per state, so that users can tell the states apart without colour. A single SVG path draws all parts of a
 * state.
 */
const shapes: Readonly<Record<PartState, (x: number, y: number) => string>> = {
  sent: (x, y) => `M${x} ${y}h9v9h-9z`,
  sending: (x, y) => `M${x + 4.5} ${y}l4.5 4.5l-4.5 4.5l-4.5 -4.5z`,
  missing: (x, y) => `M${x + 0.5} ${y + 0.5}h8v8h-8z`,
}
const stateOrder: readonly PartState[] = ['sent', 'sending', 'missing']

type Props = {
  readonly parts: readonly PartState[]
  readonly partSizeBytes: number | null
  readonly sizeBytes: number
}

export function PartMap({ parts, partSizeBytes, sizeBytes }: Props) {
  const size = partSizeWords(parts.length, partSizeBytes, sizeBytes)
  const { cells, partsPerCell, counts } = partCells(parts)
  const rows = Math.ceil(cells.length / COLUMNS)
  const pathOf = (state: PartState) =>
    cells
      .map((cell, index) =>
        cell === state
          ? shapes[state]((index % COLUMNS) * PITCH_PX, Math.floor(index / COLUMNS) * PITCH_PX)
          : '',
      )
      .join('')
  const presentStates = stateOrder.filter((state) => counts[state] > 0)
  const summary = stateOrder.map((state) => `${formatCount(counts[state])} ${state}`).join(', ')
  return (
    <figure className="part-map">
      <svg
        viewBox={`0 0 ${COLUMNS * PITCH_PX - 3} ${rows * PITCH_PX - 3}`}
        role="img"
        aria-label={`${plural(parts.length, 'part')}: ${summary}`}
      >
        {stateOrder.map((state) => (
          <path key={state} className={`part-${state}`} d={pathOf(state)} />
        ))}
      </svg>
      <figcaption className="small quiet">
        <span className="part-legend">
          {presentStates.map((state) => (
            <span key={state} className="row part-key">
              <svg width="9" height="9" viewBox="0 0 9 9" aria-hidden="true">
                <path className={`part-${state}`} d={shapes[state](0, 0)} />
              </svg>
              {partWords(state, counts[state], parts.length)}
            </span>
          ))}
        </span>
        {size !== null && <span>{size}</span>}
        {partsPerCell > 1 && <span>Each mark stands for {partsPerCell} parts</span>}
      </figcaption>
    </figure>
  )
}
