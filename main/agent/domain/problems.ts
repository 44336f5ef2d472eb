import { type ConditionProblemCode, conditionCodeOf } from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode } from '../../../shared/status/problem.ts'
import type { EndsBy, ProblemText } from '../../../shared/status/problem-terms.ts'

/**
 * The texts for problems of recordings and folders. Those of the whole station are in `shared/status/conditions.ts`.
 */
const texts: Readonly<Record<Exclude<ProblemCode, ConditionProblemCode>, ProblemText>> = {
  'empty-file': {
    owner: 'technician',
    sentence: 'The file is empty: the recorder wrote nothing.',
    next: 'Check the recorder today. If data arrives, Sluice uploads it.',
    endsBy: 'file',
  },
  'file-busy': {
    owner: 'technician',
    sentence: 'The file cannot be read right now.',
    next: 'Sluice keeps trying.',
    endsBy: 'time',
  },
  'file-unreadable': {
    owner: 'technician',
    sentence: 'The file cannot be read.',
    next: 'Fix its permissions. Sluice keeps trying.',
    endsBy: 'file',
  },
  'file-vanished': {
    owner: 'technician',
    sentence: 'The file disappeared before its upload was complete.',
    next: 'Put it back in the folder and Sluice continues.',
    endsBy: 'file',
  },
  'file-too-large': {
    owner: 'admin',
    sentence: 'The file is larger than the service accepts (10,000 parts of 512 MB).',
    next: 'Have the recorder write shorter files.',
    endsBy: 'file',
  },
  'marker-outdated': {
    owner: 'technician',
    sentence: 'The file changed after its marker file was written.',
    next: 'If the file is complete, write the marker file again. Sluice then uploads it.',
    endsBy: 'file',
  },
  'marker-missing': {
    owner: 'technician',
    sentence: 'The recording waits for its marker file.',
    next: 'If the file is complete, write its marker file. Sluice then uploads it.',
    endsBy: 'file',
  },
  'file-name-not-text': {
    owner: 'technician',
    sentence: 'The file name is not valid text, so the file cannot be opened.',
    next: 'Rename it. Sluice then uploads it.',
    endsBy: 'file',
  },
  'file-damaged': {
    owner: 'technician',
    sentence: 'The file is cut off: the recorder probably crashed.',
    next: 'Sluice uploads the file as it is if it stays unchanged.',
    endsBy: 'time',
  },
  'folder-offline': {
    owner: 'technician',
    sentence: 'The folder cannot be found.',
    next: 'Connect the drive or share. Sluice checks every 15 seconds.',
    endsBy: 'file',
  },
  'folder-replaced': {
    owner: 'technician',
    sentence: 'A different drive or folder is now at this path.',
    next: 'Confirm that it is the right one, or reconnect the old one.',
    endsBy: 'person',
  },
  'folder-unreadable': {
    owner: 'admin',
    sentence: 'The folder cannot be read.',
    next: 'Give the account that runs Sluice permission to read it. Sluice checks every 15 seconds.',
    endsBy: 'file',
  },
  'folder-not-watched': {
    owner: 'admin',
    sentence: 'The system does not report changes in this folder.',
    next: 'Sluice scans the folder instead, so new files show up a little later. It keeps trying to watch.',
    endsBy: 'time',
  },
  'folder-removed': {
    owner: 'admin',
    sentence: 'The folder was removed from the settings.',
    next: 'Nothing to do if that was intended. If the folder is watched again, Sluice continues.',
    endsBy: 'folder',
  },
  'folder-entry-unreadable': {
    owner: 'admin',
    sentence: 'A file or subfolder cannot be read, so it is left out.',
    next: 'Give the account that runs Sluice permission to read it. Sluice tries again at every scan.',
    endsBy: 'file',
  },
  'folder-path-too-long': {
    owner: 'technician',
    sentence: 'A path is longer than the system allows, so the file or subfolder is left out.',
    next: 'Shorten the names of its parent folders. Sluice then uploads it.',
    endsBy: 'file',
  },
  'site-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the site name.',
    next: 'Correct the folder’s site in the settings. Sluice then continues.',
    endsBy: 'settings',
  },
  'device-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the device name.',
    next: 'Correct the folder’s device in the settings. Sluice then continues.',
    endsBy: 'settings',
  },
  'notes-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the notes.',
    next: 'Correct the folder’s notes in the settings. Sluice then continues.',
    endsBy: 'settings',
  },
  'placeholder-unfilled': {
    owner: 'admin',
    sentence: 'The folder’s site, device or notes cannot be filled in for this file.',
    next: 'Correct the folder in the settings, or move the file to the right subfolder.',
    endsBy: 'settings',
  },
  'name-refused': {
    owner: 'technician',
    sentence: 'The service does not accept the file name.',
    next: 'Rename the file. Sluice then uploads it.',
    endsBy: 'file',
  },
  'part-size-refused': {
    owner: 'admin',
    sentence: 'The service does not accept the part size.',
    next: 'Correct or clear the folder’s part size in the settings. Sluice then continues.',
    endsBy: 'settings',
  },
  'size-refused': {
    owner: 'admin',
    sentence: 'The service does not accept a file of this size.',
    next: 'Have the recorder write files of a different size, or contact support. Sluice retries every hour.',
    endsBy: 'file',
  },
  'checksum-refused': {
    owner: 'service',
    sentence: 'The service does not accept the checksum of the file.',
    next: 'Contact support with this request ID. Sluice retries every hour.',
    endsBy: 'answer',
  },
  'parts-impossible': {
    owner: 'service',
    sentence: 'The service asks for an impossible part size, or changes it again and again.',
    next: 'Contact support with this request ID. Sluice retries every hour.',
    endsBy: 'answer',
  },
  'upload-refused': {
    owner: 'service',
    sentence: 'The service refuses this upload.',
    next: 'Contact support with this request ID. Sluice retries every hour.',
    endsBy: 'answer',
  },
  'checksum-mismatch': {
    owner: 'service',
    sentence: 'The service keeps computing a different checksum than this PC.',
    next: 'Contact support with this request ID. Sluice uploads the recording again every hour.',
    endsBy: 'answer',
  },
  'completion-pending': {
    owner: 'service',
    sentence: 'The service is still busy with an earlier request about this recording.',
    next: 'Sluice retries soon.',
    endsBy: 'time',
  },
  'processing-failed': {
    owner: 'service',
    sentence: 'The recording is stored, but processing failed.',
    next: 'Contact support with this request ID. “Try again” uploads it as new.',
    endsBy: 'person',
  },
  'recording-incomplete': {
    owner: 'technician',
    sentence: 'The recorder did not finish this file, and processing failed.',
    next: 'Check the recorder. If you repair the file, Sluice uploads it as new.',
    endsBy: 'person',
  },
  'take-held': {
    owner: 'technician',
    sentence: 'The recording waits for your decision.',
    next: 'Check the recorder, then choose “Upload anyway” or “Dismiss”.',
    endsBy: 'person',
  },
  'session-deleted': {
    owner: 'technician',
    sentence: 'The session was deleted at the service.',
    next: 'Nothing to do if that was intended. “Try again” uploads the recording as new.',
    endsBy: 'person',
  },
  'session-elsewhere': {
    owner: 'admin',
    sentence: 'The session belongs to a different organisation than the API key.',
    next: '“Try again” uploads the recording to the key’s organisation.',
    endsBy: 'person',
  },
  'session-mismatch': {
    owner: 'service',
    sentence: 'The service names a session with different content for this recording.',
    next: 'Contact support with this request ID. Sluice keeps the file and retries every hour. “Try again” uploads the recording as new.',
    endsBy: 'answer',
  },
  'session-denied': {
    owner: 'service',
    sentence: 'The service no longer confirms that it has this recording.',
    next: 'Sluice keeps the file. Contact support with this request ID. “Try again” uploads it as new.',
    endsBy: 'person',
  },
  'session-reopened': {
    owner: 'service',
    sentence: 'The service keeps reopening the session after it was complete.',
    next: 'Contact support with this request ID. Sluice keeps the file and sends the missing parts every hour.',
    endsBy: 'answer',
  },
  'look-up-failed': {
    owner: 'admin',
    sentence: 'Sluice cannot find out whether the service already has this recording.',
    next: 'Enter a key that may list sessions, or ask support why the list is incomplete. Sluice keeps trying and uploads nothing twice.',
    endsBy: 'answer',
  },
  unexpected: {
    owner: 'service',
    sentence: 'Something unexpected went wrong inside Sluice.',
    next: 'Sluice keeps trying. If it happens again, save a report for support under About & diagnostics.',
    endsBy: 'time',
  },
}

const textOf = (code: ProblemCode): ProblemText => conditionCodeOf(code) ?? texts[code as keyof typeof texts]

export const problemOf = (
  code: ProblemCode,
  details: {
    readonly detail?: string | undefined
    readonly endsBy?: EndsBy
    readonly nextAtMs?: number
    readonly requestId?: string | null
    readonly param?: string | null
  } = {},
): Problem => {
  const text = textOf(code)
  return {
    code,
    owner: text.owner,
    sentence: withDetail(text.sentence, details.detail),
    next: text.next,
    endsBy: details.endsBy ?? text.endsBy,
    nextAt: details.nextAtMs === undefined ? null : new Date(details.nextAtMs).toISOString(),
    requestId: details.requestId ?? null,
    param: details.param ?? null,
  }
}

/** Fills the placeholder of the sentence, or adds the detail in brackets. */
const withDetail = (sentence: string, detail: string | undefined): string => {
  if (detail === undefined) return sentence
  const filled = sentence.replace(/\{\w+\}/, () => detail)
  return filled === sentence ? `${sentence} (${detail})` : filled
}

/**
 * The timeline shows this text for a file that the recorder did not finish. The inspector and the follower search the
 * timeline for it.
 */
export const CUT_OFF_REASON = 'incomplete; uploaded as is'

/** Later than any clock shows. Only a user or the return of a folder ends such a wait. */
export const NEVER_MS = 8_640_000_000_000_000

/** Ends the hold and the wait of a recording whose problem no longer applies. */
export const noHold = { problem: null, attempts: 0, nextAttemptAtMs: 0 } as const

/** Whether a user dismissed a held recording. Such a recording stays on this PC. */
export const isDismissedTake = ({ problem }: { readonly problem: Problem | null }): boolean =>
  problem?.code === 'take-held' && problem.endsBy === 'dismissed'

/** Whether the recording waits until a user or the return of its folder brings it back. */
export const waitsForever = ({ nextAttemptAtMs }: { readonly nextAttemptAtMs: number }): boolean =>
  nextAttemptAtMs >= NEVER_MS

/** Whether a user excluded the file. A recording that was only dismissed still has a next attempt. */
export const isIgnored = (recording: {
  readonly problem: Problem | null
  readonly nextAttemptAtMs: number
}): boolean => recording.problem?.endsBy === 'dismissed' && waitsForever(recording)
