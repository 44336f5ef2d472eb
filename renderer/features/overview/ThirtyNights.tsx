import { type KeyboardEvent, useRef, useState } from 'react'
import { Button as AriaButton, Tooltip, TooltipTrigger } from 'react-aria-components'
import type { NightFigures } from '../../../shared/status/night-figures.ts'
import { nightWord } from '../../../shared/status/nights.ts'
import { formatDate } from '../../../shared/words/format.ts'
import { Card } from '../../components/Card.tsx'
import { NightShares } from '../../components/NightShares.tsx'
import { FEWEST_NIGHTS, knownNights, nightKind, nightParticulars } from '../../components/night-words.ts'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'
import './thirty-nights.css'

/** `nights`: null until they are loaded. */
type Props = { readonly nights: readonly NightFigures[] | null; readonly goTo: (place: Place) => void }

/** The index after a key press, or null for any other key. */
const stepTo = (key: string, from: number, last: number): number | null => {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, from - 1)
    case 'ArrowRight':
      return Math.min(last, from + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

function Bar({ night, most }: { readonly night: NightFigures; readonly most: number }) {
  const kind = nightKind(night)
  if (kind !== 'recorded') return <span className={`strip-bar strip-${kind}`} />
  return (
    <span className="strip-bar" style={{ height: `${(night.recorded / most) * 100}%` }}>
      <NightShares standings={night.standings} />
    </span>
  )
}

/** Maximum width of one night, so that a few bars do not stretch across the card. */
const NIGHT_WIDTH_PX = 36

const legend = [
  { kind: 'silent', word: 'silent' },
  { kind: 'quiet', word: 'nothing recorded' },
  { kind: 'off', word: 'no data' },
] as const

/**
 * Up to thirty nights, one bar each, linked to its recordings. One Tab stop; arrow keys move between nights. Reserves its
 * space while the nights load. Hidden until there are three nights.
 */
export function ThirtyNights({ nights: loaded, goTo }: Props) {
  const nights = knownNights(loaded ?? [])
  const last = nights.length - 1
  const [chosen, setChosen] = useState(Number.POSITIVE_INFINITY)
  const current = Math.min(chosen, last)
  const strip = useRef<HTMLDivElement>(null)
  const most = Math.max(1, ...nights.map(({ recorded }) => recorded))
  const kinds = new Set(nights.map((night) => (night.silentFolders > 0 ? 'silent' : nightKind(night))))
  const [first] = nights
  const newest = nights[last]
  const middle = nights[Math.floor(nights.length / 2)]
  const now = useNow()
  const onKeyDown = (event: KeyboardEvent) => {
    const to = stepTo(event.key, current, last)
    if (to === null) return
    event.preventDefault()
    setChosen(to)
    strip.current?.querySelectorAll<HTMLElement>('.strip-night')[to]?.focus()
  }
  if (loaded !== null && nights.length < FEWEST_NIGHTS) return null
  const title =
    loaded === null || nights.length === loaded.length ? 'Thirty nights' : `Last ${nights.length} nights`
  const width = { maxWidth: `${Math.max(nights.length, FEWEST_NIGHTS) * NIGHT_WIDTH_PX}px` }
  return (
    <Card
      title={title}
      aside={
        <span className="row quiet small strip-legend">
          {legend
            .filter(({ kind }) => kinds.has(kind))
            .map(({ kind, word }) => (
              <span key={kind} className="strip-term">
                <span className={`strip-key strip-${kind}`} />
                {word}
              </span>
            ))}
        </span>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields; this is a group of buttons. */}
      <div ref={strip} className="strip" role="group" style={width} aria-label={title} onKeyDown={onKeyDown}>
        {nights.map((night, index) => {
          const name = nightWord(night.name, now)
          const particulars = nightParticulars(night)
          return (
            <TooltipTrigger key={night.name} delay={0} closeDelay={0}>
              <AriaButton
                className="strip-night"
                excludeFromTabOrder={index !== current}
                aria-label={`${name}: ${particulars.join('; ')}`}
                onFocus={() => setChosen(index)}
                onPress={() => goTo({ screen: 'recordings', nightOf: night.name })}
              >
                {night.silentFolders > 0 && <span className="strip-silent-mark" />}
                <Bar night={night} most={most} />
              </AriaButton>
              <Tooltip className="tooltip strip-tip" offset={6}>
                <strong>{name}</strong>
                {particulars.map((line) => (
                  <span key={line}>{line}</span>
                ))}
              </Tooltip>
            </TooltipTrigger>
          )
        })}
      </div>
      <p className="strip-days quiet small" aria-hidden="true" style={width}>
        <span>{first === undefined ? '' : formatDate(first.since)}</span>
        <span>{middle === undefined ? '' : formatDate(middle.since)}</span>
        <span>{newest === undefined ? '' : nightWord(newest.name, now)}</span>
      </p>
    </Card>
  )
}
