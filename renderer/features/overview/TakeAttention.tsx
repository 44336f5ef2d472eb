import type { TakeToCheck } from '../../../shared/status/status.ts'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import type { Place } from '../../navigation.ts'
import { AttentionCard } from './AttentionCard.tsx'

type Props = {
  readonly take: TakeToCheck
  readonly hasFilledButton: boolean
  readonly goTo: (place: Place) => void
}

/** A card for a recording that is not as expected. */
export function TakeAttention({
  take: { id, name, isHeld, willBeHeld, deviations },
  hasFilledButton,
  goTo,
}: Props) {
  const { attempt } = useNotices()
  const [first = '', ...others] = deviations
  return (
    <AttentionCard
      title={`Check this recording: ${first}`}
      owner="technician"
      next={
        <>
          Check the recorder, and record again if needed.{' '}
          {isHeld ? (
            <>
              <code>{name}</code> waits for your decision.
            </>
          ) : willBeHeld ? (
            <>
              Sluice asks you before it uploads <code>{name}</code>.
            </>
          ) : (
            <>
              Sluice uploads <code>{name}</code> anyway.
            </>
          )}
        </>
      }
      facts={others.length === 0 ? undefined : others.join(' ')}
      actions={
        <>
          <Button
            size="small"
            look={hasFilledButton ? 'primary' : 'plain'}
            onPress={() => goTo({ screen: 'recordings', recordingId: id })}
          >
            Show
          </Button>
          {isHeld && (
            <Button
              size="small"
              onPress={() =>
                void attempt(() => ask('retryRecordings', { ids: [id] }), `${name} will be uploaded.`)
              }
            >
              Upload anyway
            </Button>
          )}
          <Button
            size="small"
            onPress={() =>
              void attempt(
                () => ask('dismissDeviation', { id }),
                `${name} is dismissed: Sluice no longer asks you to check it.`,
              )
            }
          >
            Dismiss
          </Button>
        </>
      }
    />
  )
}
