import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { formatHour, fromFirstWeekday } from '../../../shared/words/format.ts'
import { useNow } from '../../data/use-now.ts'
import { weekdays } from './transfer-draft.ts'
import { CELLS, type Cell, HOURS, type Paint, rectangle } from './upload-week.ts'
import { cellName, dayName, paintWords, rangeName } from './week-words.ts'

type Props = {
  readonly cells: readonly Cell[]
  /** The colour strength of a paint, in percent. */
  readonly shadeOf: (paint: Paint) => number
  /** Null if the grid is read-only. */
  readonly brush: Paint | null
  readonly onPaint: (cells: readonly number[]) => void
  readonly onUndo: () => void
  readonly describedBy: string
}

/** Two opposite corners of the selection, as places on the screen. For a single hour, both are equal. */
type Range = { readonly anchor: number; readonly end: number }

const hours = Array.from({ length: HOURS }, (_, hour) => hour)
const singlePlace = (place: number): Range => ({ anchor: place, end: place })

/** A place is an index on the screen, where the first weekday depends on the locale. A cell is an index from Monday. */
const daysShown = () => fromFirstWeekday(weekdays.map((_, day) => day))
const cellAt = (place: number): number =>
  (daysShown()[Math.floor(place / HOURS)] ?? 0) * HOURS + (place % HOURS)
const placeOf = (cell: number): number =>
  daysShown().indexOf(Math.floor(cell / HOURS)) * HOURS + (cell % HOURS)

const styleOf = ({ stretches }: Cell, shadeOf: Props['shadeOf']): CSSProperties => {
  const shade = (paint: Paint) =>
    `color-mix(in oklab, var(--accent) ${shadeOf(paint)}%, var(--surface-sunken))`
  const [onlyStretch, ...others] = stretches
  if (onlyStretch !== undefined && others.length === 0) return { background: shade(onlyStretch.paint) }
  // A gradient with hard edges, because the rule may change within the hour.
  const stops = stretches.map(({ from, to, paint }) => {
    const percent = (minute: number) =>
      `${((minute - Math.floor((stretches[0]?.from ?? 0) / 60) * 60) / 60) * 100}%`
    return `${shade(paint)} ${percent(from)} ${percent(to)}`
  })
  return { background: `linear-gradient(to right, ${stops.join(', ')})` }
}

const placeAfterKey: Readonly<Record<string, (place: number) => number>> = {
  ArrowRight: (place) => (place % HOURS === HOURS - 1 ? place : place + 1),
  ArrowLeft: (place) => (place % HOURS === 0 ? place : place - 1),
  ArrowDown: (place) => (place + HOURS < CELLS ? place + HOURS : place),
  ArrowUp: (place) => (place >= HOURS ? place - HOURS : place),
  Home: (place) => place - (place % HOURS),
  End: (place) => place - (place % HOURS) + HOURS - 1,
}

const cellUnder = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }) => {
  const element = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-cell]')
  return element == null ? null : Number(element.dataset.cell)
}

/** The cell that contains this time, and how much of the cell's hour has passed. */
const cellOfTime = (now: number) => {
  const date = new Date(now)
  return { cell: ((date.getDay() + 6) % 7) * HOURS + date.getHours(), hourShare: date.getMinutes() / 60 }
}

/**
 * Seven days of 24 hours. Dragging fills a rectangle of hours. Tab reaches only one cell, and the arrow keys move from
 * there.
 */
export function WeekGrid({ cells, shadeOf, brush, onPaint, onUndo, describedBy }: Props) {
  const grid = useRef<HTMLTableElement>(null)
  const now = cellOfTime(useNow())
  const [range, setRange] = useState<Range>(singlePlace(placeOf(now.cell)))
  const [isDragging, setDragging] = useState(false)
  const [pointedCell, setPointedCell] = useState<number | null>(null)
  const [isFocused, setFocused] = useState(false)
  const selectedCells = rectangle(range.anchor, range.end).map(cellAt)
  const selection = new Set(selectedCells.length > 1 || isDragging ? selectedCells : [])

  const focusPlace = (place: number) =>
    grid.current
      ?.querySelector<HTMLElement>(`[data-cell="${cellAt(place)}"]`)
      ?.focus({ preventScroll: isDragging })
  const paint = () => {
    if (brush !== null) onPaint(selectedCells)
    setRange(singlePlace(range.end))
  }

  const cancel = () => {
    setRange(singlePlace(range.end))
    setDragging(false)
  }

  const pressKey = (event: KeyboardEvent) => {
    const move = placeAfterKey[event.key]
    const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey)
    if (move !== undefined) {
      const isWholeWeek = event.ctrlKey || event.metaKey
      const end =
        isWholeWeek && event.key === 'Home'
          ? 0
          : isWholeWeek && event.key === 'End'
            ? CELLS - 1
            : move(range.end)
      setRange(event.shiftKey ? { anchor: range.anchor, end } : singlePlace(end))
      focusPlace(end)
    } else if (event.key === ' ' || event.key === 'Enter') paint()
    else if (event.key === 'Escape' && selection.size > 0) cancel()
    else if (isUndo) onUndo()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const pressPointer = (event: PointerEvent) => {
    const cell = cellUnder(event)
    if (cell === null || event.button !== 0 || brush === null) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    setRange(singlePlace(placeOf(cell)))
    setDragging(true)
    focusPlace(placeOf(cell))
  }
  const movePointer = (event: PointerEvent) => {
    const cell = cellUnder(event)
    setPointedCell(cell)
    if (isDragging && cell !== null) setRange({ anchor: range.anchor, end: placeOf(cell) })
  }
  const releasePointer = () => {
    if (!isDragging) return
    setDragging(false)
    paint()
    focusPlace(range.end)
  }

  const shownCell = pointedCell ?? (isFocused ? cellAt(range.end) : null)
  const readoutText = () => {
    if (selection.size > 0 && brush !== null)
      return `${rangeName(selectedCells)}: ${isDragging ? '' : 'Space fills with '}${paintWords(brush)}`
    const cell = cells[shownCell ?? now.cell]
    return cell === undefined ? '' : `${shownCell === null ? 'Now: ' : ''}${cellName(cell)}`
  }

  return (
    <>
      <table
        ref={grid}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an ARIA grid built from a table.
        role="grid"
        className={isDragging ? 'week week-dragging' : 'week'}
        aria-label="Upload hours by day and hour"
        aria-describedby={describedBy}
        aria-multiselectable="true"
        aria-readonly={brush === null}
        onKeyDown={pressKey}
        onPointerDown={pressPointer}
        onPointerMove={movePointer}
        onPointerUp={releasePointer}
        onPointerCancel={cancel}
        onPointerLeave={() => setPointedCell(null)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      >
        <thead>
          <tr>
            <th scope="col" className="week-day">
              <span className="visually-hidden">Day</span>
            </th>
            {hours.map((hour) => (
              <th key={hour} scope="col" className="week-hour">
                <span className={hour % 3 === 0 ? '' : 'visually-hidden'}>{formatHour(hour)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {daysShown().map((day) => (
            <tr key={day} className={Math.floor(now.cell / HOURS) === day ? 'week-today' : ''}>
              <th scope="row" className="week-day">
                <span aria-hidden="true">{weekdays[day]?.word}</span>
                <span className="visually-hidden">{dayName(day)}</span>
              </th>
              {cells.slice(day * HOURS, (day + 1) * HOURS).map((cell) => {
                const index = day * HOURS + cell.hour
                const isSelected = selection.has(index)
                return (
                  <td
                    key={index}
                    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as above.
                    role="gridcell"
                    data-cell={index}
                    className="week-cell"
                    tabIndex={index === cellAt(range.end) ? 0 : -1}
                    aria-label={cellName(cell)}
                    aria-selected={isSelected}
                    style={
                      isSelected && isDragging && brush !== null
                        ? styleOf({ ...cell, stretches: [{ from: 0, to: 60, paint: brush }] }, shadeOf)
                        : styleOf(cell, shadeOf)
                    }
                    onFocus={() =>
                      setRange((current) =>
                        cellAt(current.end) === index ? current : singlePlace(placeOf(index)),
                      )
                    }
                  >
                    {index === now.cell && (
                      <span
                        className="week-now"
                        style={{ left: `${now.hourShare * 100}%` }}
                        aria-hidden="true"
                      />
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="week-readout small" aria-hidden="true">
        {readoutText()}
      </p>
    </>
  )
}
