import { formatCount, plural } from '../../../shared/format.ts'
import { heldForSomebody } from '../../../shared/recording-held.ts'
import { needsSomebody, type Status } from '../../../shared/status.ts'
import { allSafe } from '../../../shared/words.ts'
import type { IconName } from '../../components/Icon.tsx'
import type { Tone } from '../../components/StateMark.tsx'

export type Verdict = { readonly tone: Tone; readonly icon: IconName; readonly sentence: string }

type Given = Pick<Status, 'report' | 'counts' | 'needPerson'> & {
  readonly station: Pick<Status['station'], 'problem'>
}

type NightShare = { readonly look: 'good' | 'busy' | 'quiet' | 'warn' | 'bad'; readonly count: number }

/** The night's recordings, each counted once: safe, at the service, still here, still here for somebody, failed. */
export const nightShares = (status: Given): readonly NightShare[] => {
  const { processed, uploaded, failed, waiting } = status.report
  const forSomebody = Math.min(waiting, heldForSomebody(status))
  const shares: readonly NightShare[] = [
    { look: 'good', count: processed },
    { look: 'busy', count: uploaded - processed - failed },
    { look: 'quiet', count: waiting - forSomebody },
    { look: 'warn', count: forSomebody },
    { look: 'bad', count: failed },
  ]
  return shares.filter(({ count }) => count > 0)
}

/** One sentence for the night. What will not mend itself outranks what waits, and only what is processed is safe. */
export const verdictOf = (status: Given): Verdict => {
  const { recorded, processed, failed, waiting } = status.report
  const { needPerson } = status
  if (needPerson > failed)
    return {
      tone: 'warn',
      icon: 'triangle',
      sentence: plural(needPerson, 'recording needs you.', 'recordings need you.'),
    }
  if (failed > 0)
    return {
      tone: 'warn',
      icon: 'triangle',
      sentence: `${plural(failed, 'recording')} did not make it by ${failed === 1 ? 'itself' : 'themselves'}.`,
    }
  const { problem } = status.station
  if (waiting > 0 && problem !== null)
    return {
      ...(needsSomebody(problem) ? { tone: 'warn', icon: 'triangle' } : { tone: 'quiet', icon: 'clock' }),
      sentence: plural(waiting, 'recording waits on this PC.', 'recordings wait on this PC.'),
    }
  if (waiting > 0)
    return { tone: 'busy', icon: 'clock', sentence: `${plural(waiting, 'recording')} still on the way.` }
  const { processing } = status.counts
  if (processing > 0)
    return {
      tone: 'busy',
      icon: 'cycle',
      sentence: plural(processing, 'recording is being processed.', 'recordings are being processed.'),
    }
  if (recorded === 0) return { tone: 'quiet', icon: 'info', sentence: 'Nothing was recorded.' }
  // The rest was seen by somebody and left as it is.
  if (processed < recorded)
    return {
      tone: 'quiet',
      icon: 'info',
      sentence: `${formatCount(processed)} of ${plural(recorded, 'recording')} ${processed === 1 ? 'is' : 'are'} safe.`,
    }
  return { tone: 'good', icon: 'check-circle', sentence: allSafe(recorded) }
}
