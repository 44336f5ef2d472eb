import { Button as AriaButton } from 'react-aria-components'
import type { ActivityEntry, ActivityGroup } from '../../../shared/status/activity.ts'
import { formatClock } from '../../../shared/words/format.ts'
import { ownerWords, type Tone } from '../../../shared/words/words.ts'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Icon, type IconName } from '../../components/Icon.tsx'

/**
 * One shape per group, so that users can tell the groups apart without colour. Tones in `toneIcons` have their own
 * icon, which replaces the icon of the group.
 */
const groupIcons: Readonly<Record<ActivityGroup, IconName>> = {
  recordings: 'record',
  trouble: 'info',
  station: 'overview',
  settings: 'edit',
}

const toneIcons: Readonly<Partial<Record<Tone, IconName>>> = {
  good: 'check-circle',
  busy: 'up-circle',
  warn: 'triangle',
}

type Props = { readonly entry: ActivityEntry; readonly onOpen: (recordingId: number) => void }

export function ActivityRow({ entry, onOpen }: Props) {
  const { at, group, tone, sentence, recordingId, requestId, owner } = entry
  return (
    <div className="activity-row">
      <time className="activity-time quiet" dateTime={at}>
        {formatClock(at)}
      </time>
      <span className={`activity-mark tone-${tone}`}>
        <Icon name={toneIcons[tone] ?? groupIcons[group]} />
      </span>
      <div className="activity-words">
        {recordingId === null ? (
          <span className="selectable">{sentence}</span>
        ) : (
          <AriaButton className="activity-link" onPress={() => onOpen(recordingId)}>
            {sentence}
          </AriaButton>
        )}
        {owner !== null && owner !== 'nobody' && (
          <span className="activity-owner quiet small">{ownerWords[owner].label}</span>
        )}
      </div>
      {requestId !== null && (
        <span className="activity-request small quiet">
          <CopyValue name="request ID" value={requestId} />
        </span>
      )}
    </div>
  )
}
