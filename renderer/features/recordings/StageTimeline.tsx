import { useState } from 'react'
import type { TimelineEntry } from '../../../shared/status/status.ts'
import {
  capitalise,
  formatClockSeconds,
  formatDay,
  formatDuration,
  plural,
} from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { StageMark } from '../../components/StateMark.tsx'
import { useNow } from '../../data/use-now.ts'

const MAX_SHOWN = 12

const stageSeconds = (entries: readonly TimelineEntry[], index: number): number | null => {
  const next = entries[index + 1]
  const entry = entries[index]
  return next === undefined || entry === undefined
    ? null
    : (Date.parse(next.at) - Date.parse(entry.at)) / 1000
}

/**
 * The day of an entry, or '' if the entry before it has the same day. A recording that waited for a week has entries at
 * the same hour on many days.
 */
const dayWord = (entries: readonly TimelineEntry[], index: number, now: number): string => {
  const [before, entry] = [entries[index - 1], entries[index]]
  if (entry === undefined) return ''
  const word = formatDay(entry.at, now)
  return before !== undefined && formatDay(before.at, now) === word ? '' : `${word} `
}

export function StageTimeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const [isShowingAll, setShowingAll] = useState(false)
  const now = useNow()
  const hiddenCount = isShowingAll ? 0 : Math.max(0, entries.length - MAX_SHOWN)
  const shownEntries = entries.slice(hiddenCount)
  return (
    <>
      {hiddenCount > 0 && (
        <Button size="small" look="quiet" onPress={() => setShowingAll(true)}>
          {`Show ${plural(hiddenCount, 'earlier stage')}`}
        </Button>
      )}
      <ol className="timeline">
        {shownEntries.map((entry, index) => {
          const seconds = stageSeconds(shownEntries, index)
          return (
            <li key={`${entry.at} ${entry.to} ${entry.reason}`} className="timeline-entry">
              <span className="timeline-what">
                <StageMark state={entry.to} />
                <time className="quiet small" dateTime={entry.at}>
                  {dayWord(shownEntries, index, now)}
                  {formatClockSeconds(entry.at)}
                  {seconds !== null && seconds >= 1 && ` · took ${formatDuration(seconds)}`}
                </time>
              </span>
              {entry.reason !== '' && <span className="quiet small">{capitalise(entry.reason)}</span>}
              {entry.requestId !== null && <CopyValue name="request ID" value={entry.requestId} />}
            </li>
          )
        })}
      </ol>
    </>
  )
}
