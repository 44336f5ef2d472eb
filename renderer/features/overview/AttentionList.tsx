import { useLayoutEffect, useRef, useState } from 'react'
import type { Status } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import type { Place } from '../../navigation.ts'
import { type AttentionItem, attentionItems, leadItem } from './attention.ts'
import { ProblemAttention } from './ProblemAttention.tsx'
import { SilenceAttention } from './SilenceAttention.tsx'
import { TakeAttention } from './TakeAttention.tsx'

/** The agent groups recordings by cause, so ten thousand recordings can be one card. */
const MAX_SHOWN = 4

const keyOf = (item: AttentionItem): string => {
  switch (item.kind) {
    case 'silence':
      return `silence ${item.path}`
    case 'take':
      return `take ${item.take.id}`
    case 'problem':
      return `${item.group.problem.code} ${item.group.folder ?? ''}`
  }
}

type Props = { readonly status: Status; readonly goTo: (place: Place) => void }

/** Problems that need attention, by who has to act. Problems that clear by themselves share one line until opened. */
export function AttentionList({ status, goTo }: Props) {
  const [all, setAll] = useState(false)
  const [unfolded, setUnfolded] = useState(false)
  const { needed, passing, folded } = attentionItems(status)
  const lead = leadItem(needed)
  const isFixed = (item: AttentionItem) => item.kind === 'problem' && item.isOfStation
  const others = needed.filter((item) => !isFixed(item))
  const slots = Math.max(0, MAX_SHOWN - (needed.length - others.length))
  const shown = all ? needed : needed.filter((item) => isFixed(item) || others.indexOf(item) < slots)
  const more = others.length - slots
  const focused = useRef<Element | null>(null)

  // A dismissed card loses the focus. Keyboard users continue from the headline.
  useLayoutEffect(() => {
    if (focused.current === null || focused.current.isConnected) return
    focused.current = null
    if (document.activeElement === document.body) document.getElementById('screen-title')?.focus()
  })

  if (needed.length + passing.length + folded.length === 0) return null
  const card = (item: AttentionItem) => {
    switch (item.kind) {
      case 'silence':
        return <SilenceAttention key={keyOf(item)} path={item.path} silence={item.silence} />
      case 'take':
        return <TakeAttention key={keyOf(item)} take={item.take} isLead={item === lead} goTo={goTo} />
      case 'problem':
        return <ProblemAttention key={keyOf(item)} {...item} isLead={item === lead} goTo={goTo} />
    }
  }
  return (
    <section
      className="stack"
      aria-label="Problems"
      onFocus={({ target }) => {
        focused.current = target
      }}
    >
      {shown.map(card)}
      {more > 0 && (
        <div className="attention-fold">
          <Button look="quiet" size="small" onPress={() => setAll(!all)}>
            {all ? 'Show fewer problems' : `Show ${plural(more, 'more problem')}`}
          </Button>
        </div>
      )}
      {passing.map(card)}
      {folded.length > 0 && (
        <div className="attention-fold">
          <Button look="quiet" size="small" icon="clock" onPress={() => setUnfolded(!unfolded)}>
            {unfolded ? 'Hide' : 'Show'} {formatCount(folded.length)} that will clear by{' '}
            {folded.length === 1 ? 'itself' : 'themselves'}
          </Button>
        </div>
      )}
      {unfolded && folded.map(card)}
    </section>
  )
}
