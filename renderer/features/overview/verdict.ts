import { plural } from '../../../shared/format.ts'
import type { MorningReport } from '../../../shared/status.ts'
import type { IconName } from '../../components/Icon.tsx'
import type { Tone } from '../../components/StateMark.tsx'

export type Verdict = { readonly tone: Tone; readonly icon: IconName; readonly sentence: string }

type NightShare = { readonly look: 'good' | 'busy' | 'quiet' | 'bad'; readonly count: number }

/** What became of the night's recordings, each counted once: safe, at the service, still here, failed. */
export const nightShares = (report: MorningReport): readonly NightShare[] => {
  const shares: readonly NightShare[] = [
    { look: 'good', count: report.processed },
    { look: 'busy', count: report.uploaded - report.processed - report.failed },
    { look: 'quiet', count: report.waiting },
    { look: 'bad', count: report.failed },
  ]
  return shares.filter(({ count }) => count > 0)
}

/** One sentence for the night. Failure outranks waiting: it will not mend itself. */
export const verdictOf = (report: MorningReport, stopped: boolean): Verdict => {
  if (report.failed > 0)
    return {
      tone: 'warn',
      icon: 'triangle',
      sentence: `${plural(report.failed, 'recording')} did not make it by ${report.failed === 1 ? 'itself' : 'themselves'}.`,
    }
  if (report.waiting > 0 && stopped)
    return {
      tone: 'warn',
      icon: 'clock',
      sentence: `${plural(report.waiting, 'recording')} ${report.waiting === 1 ? 'waits' : 'wait'} on this PC.`,
    }
  if (report.waiting > 0)
    return {
      tone: 'busy',
      icon: 'clock',
      sentence: `${plural(report.waiting, 'recording')} still on the way.`,
    }
  if (report.recorded === 0) return { tone: 'quiet', icon: 'info', sentence: 'Nothing was recorded.' }
  return {
    tone: 'good',
    icon: 'check-circle',
    sentence:
      report.recorded === 1
        ? 'The one recording is safe.'
        : `All ${plural(report.recorded, 'recording')} are safe.`,
  }
}
