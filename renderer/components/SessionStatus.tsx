import type { SessionStatus as Status } from '../../shared/contract/control-api.ts'
import type { Tone } from '../../shared/words/words.ts'
import type { IconName } from './Icon.tsx'
import { MarkedWord } from './StateMark.tsx'

export const sessionStatusWords: Readonly<Record<Status, string>> = {
  uploading: 'Uploading',
  uploaded: 'Uploaded',
  processing: 'Processing',
  processed: 'Processed',
  failed: 'Failed',
}

const marks: Readonly<Record<Status, { readonly icon: IconName; readonly tone: Tone }>> = {
  uploading: { icon: 'up-circle', tone: 'busy' },
  uploaded: { icon: 'finish', tone: 'busy' },
  processing: { icon: 'cycle', tone: 'busy' },
  processed: { icon: 'check-circle', tone: 'good' },
  failed: { icon: 'octagon', tone: 'warn' },
}

const isKnown = (status: string): status is Status => Object.hasOwn(marks, status)

/** An unknown status is shown as the service sends it. */
export function SessionStatus({ status }: { readonly status: string }) {
  return isKnown(status) ? (
    <MarkedWord mark={marks[status]} word={sessionStatusWords[status]} />
  ) : (
    <MarkedWord mark={{ icon: 'info', tone: 'quiet' }} word={status} />
  )
}
