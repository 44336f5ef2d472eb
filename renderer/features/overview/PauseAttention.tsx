import { timeInSentence } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { useNow } from '../../data/use-now.ts'
import { useResume } from '../../data/use-resume.ts'
import { AttentionCard } from './AttentionCard.tsx'

/**
 * Shows a pause next to problems. Without this card, a user could fix every problem and still upload nothing. The card
 * has no owner, because a pause is not a problem.
 */
export function PauseAttention({ pausedUntil }: { readonly pausedUntil: string | null }) {
  const now = useNow()
  const resume = useResume()
  const end = pausedUntil === null ? 'you resume' : timeInSentence(pausedUntil, now)
  return (
    <AttentionCard
      title="You paused the uploads."
      owner={null}
      next={`Nothing uploads until ${end}.`}
      actions={
        <Button size="small" icon="play" onPress={resume}>
          Resume
        </Button>
      }
    />
  )
}
