import { type KeyboardEvent, useRef, useState } from 'react'
import { Button as AriaButton, Tooltip, TooltipTrigger } from 'react-aria-components'
import type { NightFigures } from '../../../shared/status/night-figures.ts'
import { nightWord } from '../../../shared/status/nights.ts'
import { formatDate } from '../../../shared/words/format.ts'
import { Card } from '../../components/Card.tsx'
import { NightShares } from '../../components/NightShares.tsx'
import { knownNights, MIN_NIGHTS, nightDetails, nightKind } from '../../components/night-words.ts'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'

import './thirty-nights.css'

/** `nights` is null until it is loaded. */
type Props = { readonly nights: readonly NightFigures[] | null; readonly goTo: (place: Place) => void }

/** The index to focus after a key press. Null for keys that do not move the focus. */
const indexAfterKey = (key: string, index: number, lastIndex: number): number | null => {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, index - 1)
    case 'ArrowRight':
      return Math.min(lastIndex, index + 1)
    case 'Home':
      return 0
    case 'End':
      return lastIndex
    default:
      return null
  }
}

function Bar({ night, maxRecorded }: { readonly night: NightFigures; readonly maxRecorded: number }) {
  const kind = nightKind(night)
  if (kind !== 'recorded') return <span className={`strip-bar strip-${kind}`} />
  return (
    <span className="strip-bar" style={{ height: `${(night.recorded / maxRecorded) * 100}%` }}>
      <NightShares standings={night.standings} />
    </span>
  )
}

/** The maximum width of one night. Without it, a few bars would stretch across the card. */
const NIGHT_WIDTH_PX = 36

const legend = [
  { kind: 'silent', word: 'silent' },
  { kind: 'quiet', word: 'nothing recorded' },
  { kind: 'off', word: 'no data' },
] as const

/**
 * Up to thirty nights, one bar each. A press on a bar opens its recordings. Tab reaches only one bar; arrow keys move
 * between the bars. The card is hidden if there are fewer than three nights, but takes its space while they load.
 */
export function ThirtyNights({ nights: loadedNights, goTo }: Props) {
  const nights = knownNights(loadedNights ?? [])
  const lastIndex = nights.length - 1
  const [chosenIndex, setChosenIndex] = useState(Number.POSITIVE_INFINITY)
  const currentIndex = Math.min(chosenIndex, lastIndex)
  const strip = useRef<HTMLDivElement>(null)
  const maxRecorded = Math.max(1, ...nights.map(({ recorded }) => recorded))
  const kinds = new Set(nights.map((night) => (night.silentFolders > 0 ? 'silent' : nightKind(night))))
  const [firstNight] = nights
  const lastNight = nights[lastIndex]
  const middleNight = nights[Math.floor(nights.length / 2)]
  const now = useNow()
  const onKeyDown = (event: KeyboardEvent) => {
    const to = indexAfterKey(event.key, currentIndex, lastIndex)
    if (to === null) return
    event.preventDefault()
    setChosenIndex(to)
    strip.current?.querySelectorAll<HTMLElement>('.strip-night')[to]?.focus()
  }
  if (loadedNights !== null && nights.length < MIN_NIGHTS) return null
  const title =
    loadedNights === null || nights.length === loadedNights.length
      ? 'Thirty nights'
      : `Last ${nights.length} nights`
  const width = { maxWidth: `${Math.max(nights.length, MIN_NIGHTS) * NIGHT_WIDTH_PX}px` }
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
          const details = nightDetails(night)
          return (
            <TooltipTrigger key={night.name} delay={0} closeDelay={0}>
              <AriaButton
                className="strip-night"
                excludeFromTabOrder={index !== currentIndex}
                aria-label={`${name}: ${details.join('; ')}`}
                onFocus={() => setChosenIndex(index)}
                onPress={() => goTo({ screen: 'recordings', nightOf: night.name })}
              >
                {night.silentFolders > 0 && <span className="strip-silent-mark" />}
                <Bar night={night} maxRecorded={maxRecorded} />
              </AriaButton>
              <Tooltip className="tooltip strip-tip" offset={6}>
                <strong>{name}</strong>
                {details.map((line) => (
                  <span key={line}>{line}</span>
                ))}
              </Tooltip>
            </TooltipTrigger>
          )
        })}
      </div>
      <p className="strip-days quiet small" aria-hidden="true" style={width}>
        <span>{firstNight === undefined ? '' : formatDate(firstNight.since)}</span>
        <span>{middleNight === undefined ? '' : formatDate(middleNight.since)}</span>
        <span>{lastNight === undefined ? '' : nightWord(lastNight.name, now)}</span>
      </p>
    </Card>
  )
}
