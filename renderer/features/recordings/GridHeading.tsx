// biome-ignore-all lint/a11y: a table element cannot hold a hundred thousand rows, and this ARIA grid holds the focus.
import { memo } from 'react'
import { Icon } from '../../components/Icon.tsx'

export const HEADING_HEIGHT = 34

type Props = {
  readonly index: number
  readonly top: number
  readonly name: string
  readonly count: string
  readonly needsAttention: boolean
}

export const GridHeading = memo(function GridHeading({ index, top, name, count, needsAttention }: Props) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="grid-heading"
      style={{ transform: `translateY(${top}px)`, height: HEADING_HEIGHT }}
    >
      <span role="gridcell" aria-colspan={6} className="grid-heading-words">
        {needsAttention && (
          <span className="tone-warn">
            <Icon name="triangle" size={14} />
          </span>
        )}
        <strong>{name}</strong> <span className="quiet number">{count}</span>
      </span>
    </div>
  )
})
