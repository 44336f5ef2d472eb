import type { Standing } from '../../../shared/status/standing.ts'
import type { RecordingRow } from '../../../shared/status/status.ts'
import type { Tone } from '../../../shared/words/words.ts'

const titles: Readonly<Record<Standing, string>> = {
  recording: 'The first recording is being written.',
  waiting: 'The first recording waits to upload.',
  uploading: 'The first recording is uploading.',
  'at-service': 'The first recording is being processed.',
  safe: 'The first recording is safe.',
  'needs-attention': 'The first recording needs attention.',
  dismissed: 'The first recording was dismissed.',
  elsewhere: 'The first recording is at another service.',
}

/** The heading of the last step. A recording with a problem must not look like a success. */
export const firstRecordingTitle = (
  first: Pick<RecordingRow, 'standing' | 'settlesAt'> | undefined,
): { readonly title: string; readonly tone: Tone } => {
  if (first === undefined) return { title: 'Sluice is watching.', tone: 'good' }
  const isFinishing = first.standing === 'recording' && first.settlesAt !== null
  return {
    title: isFinishing ? 'The first recording is finishing.' : titles[first.standing],
    tone: first.standing === 'needs-attention' ? 'warn' : 'good',
  }
}
