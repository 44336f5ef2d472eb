import type { DriveSpace } from '../../../shared/status/free-space.ts'
import { freeWords, lowSentence, safeWords } from '../../../shared/words/free-space-words.ts'
import { Button } from '../../components/Button.tsx'
import type { Place } from '../../navigation.ts'
import { AttentionCard } from './AttentionCard.tsx'

type Props = {
  readonly drive: DriveSpace
  readonly hasFilledButton: boolean
  readonly goTo: (place: Place) => void
}

/** A card for a drive that is almost full, or will probably be full before the next noon. */
export function LowDriveAttention({ drive, hasFilledButton, goTo }: Props) {
  const hasSafeBytes = (drive.safeBytes ?? 0) > 0
  return (
    <AttentionCard
      title={`${lowSentence(drive)}.`}
      owner="technician"
      next={`Free up space, or recordings may be lost.${hasSafeBytes ? ` ${safeWords(drive)}` : ''}`}
      facts={<span>{freeWords(drive)}</span>}
      actions={
        hasSafeBytes && (
          <Button
            size="small"
            look={hasFilledButton ? 'primary' : 'plain'}
            onPress={() => goTo({ screen: 'recordings', standing: 'safe' })}
          >
            Show safe recordings
          </Button>
        )
      }
    />
  )
}
