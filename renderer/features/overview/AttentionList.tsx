import { useLayoutEffect, useRef, useState } from 'react'
import type { Status } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import type { Place } from '../../navigation.ts'
import { type AttentionItem, attentionItems, leadItem } from './attention.ts'
import { LowDriveAttention } from './LowDriveAttention.tsx'
import { PauseAttention } from './PauseAttention.tsx'
import { ProblemAttention } from './ProblemAttention.tsx'
import { SilenceAttention } from './SilenceAttention.tsx'
import { TakeAttention } from './TakeAttention.tsx'

/**
 * The maximum number of cards until the user presses "Show more problems". Problems of the station are always shown. A
 * few cards are enough, because one card can cover ten thousand recordings.
 */
const MAX_SHOWN = 4

const keyOf = (item: AttentionItem): string => {
  switch (item.kind) {
    case 'low-drive':
      return `low-drive ${item.drive.name}`
    case 'silence':
      return `silence ${item.path}`
    case 'take':
      return `take ${item.take.id}`
    case 'problem':
      return `${item.group.problem.code} ${item.group.folder ?? ''}`
  }
}

const describeFolded = (folded: readonly AttentionItem[]): string => {
  const isOne = folded.length === 1
  // Only an administrator ends the wait of a removed folder.
  if (folded.some((item) => item.kind === 'problem' && item.group.problem.endsBy === 'folder'))
    return isOne ? 'needs no attention' : 'need no attention'
  return isOne ? 'will clear by itself' : 'will clear by themselves'
}

type Props = { readonly status: Status; readonly goTo: (place: Place) => void }

/**
 * Lists the problems that need attention, sorted by owner, then the conditions of the station that clear by themselves.
 * Other problems of folders and recordings share one line until the user opens it.
 */
export function AttentionList({ status, goTo }: Props) {
  const [isShowingAll, setShowingAll] = useState(false)
  const [isUnfolded, setIsUnfolded] = useState(false)
  const { needed, showsPause, temporary, folded } = attentionItems(status)
  const lead = leadItem(needed)
  const isAlwaysShown = (item: AttentionItem) => item.kind === 'problem' && item.isOfStation
  const otherItems = needed.filter((item) => !isAlwaysShown(item))
  const slots = Math.max(0, MAX_SHOWN - (needed.length - otherItems.length))
  const shownItems = isShowingAll
    ? needed
    : needed.filter((item) => isAlwaysShown(item) || otherItems.indexOf(item) < slots)
  const hiddenCount = otherItems.length - slots
  const focusedElement = useRef<Element | null>(null)

  // If the focused card disappears, the headline gets the focus, so that keyboard users continue from there.
  useLayoutEffect(() => {
    if (focusedElement.current === null || focusedElement.current.isConnected) return
    focusedElement.current = null
    if (document.activeElement === document.body) document.getElementById('screen-title')?.focus()
  })

  if (needed.length + temporary.length + folded.length === 0) return null
  const renderCard = (item: AttentionItem) => {
    switch (item.kind) {
      case 'low-drive':
        return (
          <LowDriveAttention
            key={keyOf(item)}
            drive={item.drive}
            hasFilledButton={item === lead}
            goTo={goTo}
          />
        )
      case 'silence':
        return <SilenceAttention key={keyOf(item)} path={item.path} silence={item.silence} />
      case 'take':
        return (
          <TakeAttention key={keyOf(item)} take={item.take} hasFilledButton={item === lead} goTo={goTo} />
        )
      case 'problem':
        return <ProblemAttention key={keyOf(item)} {...item} hasFilledButton={item === lead} goTo={goTo} />
    }
  }
  return (
    <section
      className="stack"
      aria-label="Problems"
      onFocus={({ target }) => {
        focusedElement.current = target
      }}
    >
      {shownItems.map(renderCard)}
      {hiddenCount > 0 && (
        <div className="attention-fold">
          <Button look="quiet" size="small" onPress={() => setShowingAll(!isShowingAll)}>
            {isShowingAll ? 'Show fewer problems' : `Show ${plural(hiddenCount, 'more problem')}`}
          </Button>
        </div>
      )}
      {showsPause && <PauseAttention pausedUntil={status.station.pausedUntil} />}
      {temporary.map(renderCard)}
      {folded.length > 0 && (
        <div className="attention-fold">
          <Button look="quiet" size="small" icon="clock" onPress={() => setIsUnfolded(!isUnfolded)}>
            {isUnfolded ? 'Hide' : 'Show'} {formatCount(folded.length)} that {describeFolded(folded)}
          </Button>
        </div>
      )}
      {isUnfolded && folded.map(renderCard)}
    </section>
  )
}
