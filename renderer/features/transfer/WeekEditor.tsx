import { useId, useMemo, useState } from 'react'
import { plural } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { type Choice, Segments } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { useLocked } from '../../components/locked.ts'
import { parseTypedNumber } from '../../data/field-issues.ts'
import { limitInBytes, parseWindows, type UploadHoursDraft, windowDrafts } from './transfer-draft.ts'
import { cellsOf, type Paint, paintCells, readWeek } from './upload-week.ts'
import { WeekGrid } from './WeekGrid.tsx'
import { legendWords, paintWords, rangeName } from './week-words.ts'

type Brush = 'closed' | 'open' | 'limited'

const brushes: readonly Choice<Brush>[] = [
  { id: 'closed', word: 'Closed' },
  { id: 'open', word: 'Open' },
  { id: 'limited', word: 'Open with a limit' },
]

type Props = {
  readonly windows: readonly UploadHoursDraft[]
  /** The station's limit, as typed. */
  readonly generalLimit: string
  readonly onChange: (windows: readonly UploadHoursDraft[]) => void
  readonly error: string | null
}

/** The colour strength of each paint, in percent. Higher limits have stronger colours; closed hours have none. */
const makeShadeOf = (limits: readonly number[]) => (paint: Paint) => {
  if (paint === 'closed') return 0
  if (paint === 'open') return 100
  return 20 + Math.round((55 * (limits.indexOf(paint) + 1)) / (limits.length + 1))
}

const parsePositive = (text: string): number | null => {
  const number = parseTypedNumber(text)
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : null
}

type Stroke = {
  readonly windowsBefore: readonly UploadHoursDraft[]
  readonly windowsAfter: readonly UploadHoursDraft[]
}

/** Edits the upload hours on a week grid. `WindowList` edits the same hours as a list. */
export function WeekEditor({ windows, generalLimit, onChange, error }: Props) {
  const helpId = useId()
  const isLocked = useLocked()
  const [brushKind, setBrushKind] = useState<Brush>('open')
  const [limit, setLimit] = useState('20')
  const [strokes, setStrokes] = useState<readonly Stroke[]>([])
  const [announcement, setAnnouncement] = useState('')
  const parsedWindows = useMemo(() => parseWindows(windows), [windows])
  const cells = useMemo(() => cellsOf(readWeek(parsedWindows ?? [])), [parsedWindows])
  const limitError =
    brushKind === 'limited' && parsePositive(limit) === null ? 'Type a number above 0.' : null
  const selectedBrush: Paint | null = brushKind === 'limited' ? parsePositive(limit) : brushKind
  const brush = isLocked ? null : selectedBrush
  const generalLimitMbit = parsePositive(generalLimit)

  if (parsedWindows === null)
    return (
      <Banner tone="warn">
        A time or limit in the list is not valid. Correct it there to show the week.
      </Banner>
    )

  const paints = [...new Set(cells.flatMap(({ stretches }) => stretches.map(({ paint }) => paint)))]
  const limits = [...paints, ...(typeof brush === 'number' ? [brush] : [])].filter(
    (paint) => typeof paint === 'number',
  )
  const shadeOf = makeShadeOf([...new Set(limits)].sort((a, b) => a - b))
  const isAlwaysClosed = paints.every((paint) => paint === 'closed')
  const legend = [...new Set<Paint>(['closed', ...paints])].sort((a, b) => shadeOf(a) - shadeOf(b))
  // Disables Undo after a later change of the windows, for example by Discard. Undo would revert that change too.
  const lastStroke = strokes.at(-1)?.windowsAfter === windows ? strokes.at(-1) : undefined

  const paint = (hours: readonly number[]) => {
    if (brush === null) return
    const paintedWindows = paintCells(parsedWindows, hours, brush)
    const rangeWords =
      hours.length === 1 ? rangeName(hours) : `${plural(hours.length, 'hour')}, ${rangeName(hours)}`
    setAnnouncement(`${rangeWords}: ${paintWords(brush)}.`)
    if (paintedWindows === parsedWindows) return
    const windowsAfter = windowDrafts(paintedWindows)
    setStrokes([...strokes, { windowsBefore: windows, windowsAfter }])
    onChange(windowsAfter)
  }
  const undo = () => {
    if (lastStroke === undefined) return
    const earlierStrokes = strokes.slice(0, -1)
    setStrokes(earlierStrokes)
    setAnnouncement('Last change undone.')
    onChange(lastStroke.windowsBefore)
  }

  return (
    <div className="stack">
      {!isLocked && (
        <div className="row week-tools">
          <Segments label="Fill hours with" choices={brushes} value={brushKind} onChange={setBrushKind} />
          <Button size="small" look="quiet" isDisabled={lastStroke === undefined} onPress={undo}>
            Undo
          </Button>
        </div>
      )}
      {brushKind === 'limited' && !isLocked && (
        <TextField
          label="Limit"
          width="short"
          unit="Mbit/s"
          inputMode="decimal"
          value={limit}
          onChange={setLimit}
          error={limitError}
          help={limitInBytes(limit) ?? undefined}
        />
      )}
      <div className="week-frame">
        <WeekGrid
          cells={cells}
          shadeOf={shadeOf}
          brush={brush}
          onPaint={paint}
          onUndo={undo}
          describedBy={helpId}
        />
      </div>
      <ul className="week-legend small" aria-label="Shades">
        {legend.map((paint) => (
          <li key={paint}>
            <span
              className="week-swatch"
              style={{
                background: `color-mix(in oklab, var(--accent) ${shadeOf(paint)}%, var(--surface-sunken))`,
              }}
            />
            {legendWords(paint, generalLimitMbit)}
          </li>
        ))}
      </ul>
      <p id={helpId} className="quiet small">
        {isLocked
          ? 'Keyboard: arrow keys move.'
          : 'Drag across hours to fill them. Keyboard: arrow keys move, Shift selects, Space fills, Esc cancels.'}
      </p>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      {isAlwaysClosed ? (
        <Banner tone="warn">
          No hour is open, so nothing would be uploaded. Open at least one hour, or pause uploads instead.
        </Banner>
      ) : (
        error !== null && <Banner tone="bad">{error}</Banner>
      )}
    </div>
  )
}
