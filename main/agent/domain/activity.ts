import { type SettingsChange, settingsChangeWords } from '../../../shared/settings/settings-change.ts'
import type { ActivityGroup } from '../../../shared/status/activity.ts'
import { type ConditionName, conditions } from '../../../shared/status/conditions.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import type { FolderStatus, RecordingState } from '../../../shared/status/status.ts'
import { formatBytes, formatDuration, momentInSentence } from '../../../shared/words/format.ts'
import { asSentence } from '../../../shared/words/issue-sentence.ts'
import { type Owner, ownerOf, type Tone } from '../../../shared/words/words.ts'
import { type Wait, waitSentence } from './removal-rules.ts'

/** A state change that the activity list shows. It is derived from the recording's timeline, not stored separately. */
export type ActivityStep =
  | { readonly kind: 'found' | 'uploaded' | 'safe' | 'same-content' | 'came-back' | 'sent-again' }
  | { readonly kind: 'gone'; readonly reason: string; readonly needsUpload: boolean }
  | { readonly kind: 'failed'; readonly reason: string; readonly problem: Problem | null }
  | { readonly kind: 'started-over'; readonly reason: string }

/** A recording's state before it was dismissed, so that the dismissal can be undone. */
export type StateBeforeDismissal = {
  readonly state: RecordingState
  readonly problem: Problem | null
  readonly heldSinceMs: number | null
}

/** An event that changes no recording's state, such as a pause. The journal stores it together with its cause. */
export type ActivityNote =
  | { readonly kind: 'held'; readonly problem: Problem }
  /** Notes of earlier versions lack `dismissed`. */
  | { readonly kind: 'dismissed'; readonly dismissed?: StateBeforeDismissal }
  | {
      readonly kind:
        | 'retried'
        | 'prioritised'
        | 'recording-paused'
        | 'recording-resumed'
        | 'resumed'
        | 'stopped'
        | 'key-changed'
        | 'key-removed'
        | 'organisation-accepted'
        | 'upload-now-cancelled'
        | 'station-upload-now-cancelled'
    }
  | { readonly kind: 'upload-now' | 'station-upload-now'; readonly until: string | null }
  | { readonly kind: 'paused'; readonly until: string | null }
  | { readonly kind: 'condition-began'; readonly condition: ConditionName; readonly problem: Problem }
  | { readonly kind: 'condition-ended'; readonly condition: ConditionName; readonly since: string }
  | { readonly kind: 'folder-lost'; readonly folder: string; readonly state: FolderStatus['state'] }
  | { readonly kind: 'folder-back'; readonly folder: string; readonly since: string }
  | {
      readonly kind: 'left-out'
      readonly folder: string
      readonly problem: Problem
      /**
       * The paths that Sluice newly leaves out, shortened if there are many. `leftOutCount` also counts the older ones.
       */
      readonly paths: readonly string[]
      readonly leftOutCount: number
    }
  | {
      readonly kind: 'left-out-ended'
      readonly folder: string
      readonly problem: Problem
      readonly since: string
    }
  | { readonly kind: 'folder-accepted'; readonly folder: string }
  | { readonly kind: 'upload-host'; readonly host: string }
  | { readonly kind: 'settings-changed'; readonly change: SettingsChange }
  | { readonly kind: 'started'; readonly version: string | null }
  | { readonly kind: 'crashed'; readonly lastActivityAt: string | null }
  | { readonly kind: 'updated'; readonly from: string; readonly to: string }
  | { readonly kind: 'journal-recovered'; readonly restored: boolean }
  | { readonly kind: 'removed'; readonly early: boolean }
  | { readonly kind: 'moved'; readonly early: boolean; readonly to: string }
  | { readonly kind: 'not-removed'; readonly wait: Wait }
  | { readonly kind: 'no-space-freed'; readonly folder: string }
  /** `path` is the first file. `count` is absent in older journals, which means 1. */
  | { readonly kind: 'names-restored'; readonly path: string; readonly count?: number }
  | { readonly kind: 'reopened'; readonly parts: number }
  | { readonly kind: 'take-deviates'; readonly deviations: readonly string[] }

export type Activity = ActivityStep | ActivityNote

/** Why a recording whose file is gone needs no upload. */
export const noUploadReasons = {
  marker: 'it is a marker file',
  merged: 'SQLite merged it into its database',
  dismissed: 'it was dismissed, and its file is no longer in the folder',
} as const

const needsNoUpload = (reason: string): boolean =>
  (Object.values(noUploadReasons) as readonly string[]).includes(reason)

/** Null if the activity list does not show the step. The partial index `timeline_told` must apply the same rule. */
export const stepOf = (
  from: RecordingState | null,
  to: RecordingState,
  reason: string,
  problem: Problem | null,
): ActivityStep | null => {
  if (from === null) return { kind: 'found' }
  if (from === to) return null
  switch (to) {
    case 'processing':
      return { kind: 'uploaded' }
    case 'processed':
      return { kind: from === 'processing' ? 'safe' : 'same-content' }
    case 'failed':
      return { kind: 'failed', reason, problem }
    case 'gone':
      return { kind: 'gone', reason, needsUpload: !needsNoUpload(reason) }
    default:
      if (from === 'gone') return { kind: 'came-back' }
      if (from === 'failed') return { kind: 'sent-again' }
      if ((from === 'uploading' && to !== 'completing') || (from === 'completing' && to !== 'uploading'))
        return { kind: 'started-over', reason }
      return null
  }
}

type Kind = Activity['kind']

const presentations: Readonly<Record<Kind, { readonly group: ActivityGroup; readonly tone: Tone }>> = {
  found: { group: 'recordings', tone: 'quiet' },
  uploaded: { group: 'recordings', tone: 'busy' },
  safe: { group: 'recordings', tone: 'good' },
  'same-content': { group: 'recordings', tone: 'good' },
  'came-back': { group: 'recordings', tone: 'quiet' },
  'sent-again': { group: 'recordings', tone: 'busy' },
  retried: { group: 'recordings', tone: 'quiet' },
  prioritised: { group: 'recordings', tone: 'quiet' },
  'recording-paused': { group: 'recordings', tone: 'quiet' },
  'recording-resumed': { group: 'recordings', tone: 'quiet' },
  dismissed: { group: 'recordings', tone: 'quiet' },
  'upload-now': { group: 'recordings', tone: 'quiet' },
  'upload-now-cancelled': { group: 'recordings', tone: 'quiet' },
  removed: { group: 'recordings', tone: 'quiet' },
  moved: { group: 'recordings', tone: 'quiet' },
  'not-removed': { group: 'trouble', tone: 'quiet' },
  'no-space-freed': { group: 'trouble', tone: 'warn' },
  reopened: { group: 'trouble', tone: 'quiet' },
  'names-restored': { group: 'trouble', tone: 'quiet' },
  failed: { group: 'trouble', tone: 'warn' },
  gone: { group: 'trouble', tone: 'warn' },
  'take-deviates': { group: 'trouble', tone: 'warn' },
  'started-over': { group: 'trouble', tone: 'quiet' },
  held: { group: 'trouble', tone: 'warn' },
  'condition-began': { group: 'trouble', tone: 'warn' },
  'condition-ended': { group: 'trouble', tone: 'quiet' },
  'folder-lost': { group: 'trouble', tone: 'warn' },
  'folder-back': { group: 'trouble', tone: 'quiet' },
  'left-out': { group: 'trouble', tone: 'warn' },
  'left-out-ended': { group: 'trouble', tone: 'quiet' },
  crashed: { group: 'trouble', tone: 'warn' },
  'journal-recovered': { group: 'trouble', tone: 'warn' },
  'folder-accepted': { group: 'settings', tone: 'quiet' },
  'key-changed': { group: 'settings', tone: 'quiet' },
  'key-removed': { group: 'settings', tone: 'quiet' },
  'organisation-accepted': { group: 'settings', tone: 'quiet' },
  'settings-changed': { group: 'settings', tone: 'quiet' },
  'upload-host': { group: 'station', tone: 'quiet' },
  paused: { group: 'station', tone: 'quiet' },
  resumed: { group: 'station', tone: 'quiet' },
  'station-upload-now': { group: 'station', tone: 'quiet' },
  'station-upload-now-cancelled': { group: 'station', tone: 'quiet' },
  started: { group: 'station', tone: 'quiet' },
  stopped: { group: 'station', tone: 'quiet' },
  updated: { group: 'station', tone: 'quiet' },
}

export const groupOf = (kind: Kind): ActivityGroup => presentations[kind].group

/** An entry is no warning if nobody has to act on its problem, or if its file is gone but needs no upload. */
export const toneOf = (activity: Activity): Tone => {
  const isHarmless =
    activity.kind === 'gone'
      ? !activity.needsUpload
      : 'problem' in activity && activity.problem !== null && ownerOf(activity.problem) === 'nobody'
  return isHarmless ? 'quiet' : presentations[activity.kind].tone
}

export const kindsIn = (groups: readonly ActivityGroup[]): readonly Kind[] =>
  (Object.keys(presentations) as Kind[]).filter((kind) => groups.includes(presentations[kind].group))

const lostWords: Readonly<Record<FolderStatus['state'], string>> = {
  offline: 'is missing',
  replaced: 'is a different drive or folder now',
  unusable: 'cannot be read',
  scanning: 'is being scanned',
  watching: 'is watched',
}

export const activityOwner = (activity: Activity): Owner | null => {
  switch (activity.kind) {
    case 'held':
    case 'condition-began':
    case 'left-out':
      return ownerOf(activity.problem)
    case 'failed':
      return activity.problem === null ? null : ownerOf(activity.problem)
    case 'gone':
      return activity.needsUpload ? 'technician' : null
    case 'take-deviates':
    case 'folder-lost':
      return 'technician'
    default:
      return null
  }
}

/** What an entry is about. `name` and `bytes` are null if it has no recording. */
export type Subject = { readonly name: string | null; readonly bytes: number | null; readonly atMs: number }

const afterDuration = (since: string, atMs: number): string =>
  `after ${formatDuration(Math.max(1, (atMs - Date.parse(since)) / 1000))}`

const earlyWords = (early: boolean): string => (early ? ' early to free up space' : '')

const untilWords = (until: string | null, nowMs: number): string =>
  until === null ? '' : ` until ${momentInSentence(until, nowMs)}`

/** The sentence for one entry. Times in it are relative to `nowMs`. */
export const activitySentence = (activity: Activity, subject: Subject, nowMs: number): string => {
  const name = subject.name ?? 'A recording'
  const size = subject.bytes === null ? '' : ` (${formatBytes(subject.bytes)})`
  switch (activity.kind) {
    case 'found':
      return `Found ${subject.name ?? 'a recording'}.`
    case 'uploaded':
      return `Uploaded ${subject.name ?? 'a recording'}${size}. The service is processing it.`
    case 'safe':
      return `${name} is safe.`
    case 'same-content':
      return `${name} is safe: the service already has the same content.`
    case 'failed':
      return `${name} needs attention. ${asSentence(activity.reason)}`
    case 'gone':
      return activity.needsUpload
        ? `${name} disappeared before its upload was complete.`
        : `${name} needs no upload. ${asSentence(activity.reason)}`
    case 'came-back':
      return `${name} is back in its folder.`
    case 'sent-again':
      return `${name} is being uploaded again in a new session: a user retried it.`
    case 'started-over':
      return `${name} is being uploaded from the beginning. ${asSentence(activity.reason)}`
    case 'held':
      return `${name} is on hold. ${activity.problem.sentence}`
    case 'dismissed':
      return `${name} was dismissed.`
    case 'retried':
      return `A user retried ${subject.name ?? 'a recording'}.`
    case 'prioritised':
      return `${name} was moved to the front of the queue.`
    case 'recording-paused':
      return `${name} was paused.`
    case 'recording-resumed':
      return `${name} was resumed.`
    case 'condition-began':
      return activity.problem.sentence
    case 'condition-ended':
      return `${conditions[activity.condition].endWords} ${afterDuration(activity.since, subject.atMs)}.`
    case 'folder-lost':
      return `The folder ${activity.folder} ${lostWords[activity.state]}.`
    case 'folder-back':
      return `The folder ${activity.folder} is back ${afterDuration(activity.since, subject.atMs)}.`
    case 'left-out':
      return `${activity.folder}: ${activity.problem.sentence}`
    case 'left-out-ended':
      return `Solved in ${activity.folder} ${afterDuration(activity.since, subject.atMs)}: “${activity.problem.sentence}”`
    case 'folder-accepted':
      return `The new drive or folder at ${activity.folder} was confirmed.`
    case 'upload-host':
      return `First upload to a new storage host: ${activity.host}.`
    case 'key-changed':
      return 'The API key was changed.'
    case 'key-removed':
      return 'The API key was removed.'
    case 'organisation-accepted':
      return 'The new organisation was accepted. Recordings are uploaded there from now on.'
    case 'settings-changed':
      return `Settings changed: ${settingsChangeWords(activity.change)}.`
    case 'paused':
      return `Uploading was paused${untilWords(activity.until, nowMs)}.`
    case 'upload-now':
      return `${name} is being uploaded outside the upload hours${untilWords(activity.until, nowMs)}.`
    case 'upload-now-cancelled':
      return `${name} waits for the upload hours again.`
    case 'station-upload-now':
      return `Uploading outside the upload hours${untilWords(activity.until, nowMs)}.`
    case 'station-upload-now-cancelled':
      return 'Uploads wait for the upload hours again.'
    case 'resumed':
      return 'Uploading was resumed.'
    case 'started':
      return activity.version === null ? 'Sluice started.' : `Sluice ${activity.version} started.`
    case 'stopped':
      return 'Sluice was closed.'
    case 'crashed': {
      const lastActivity =
        activity.lastActivityAt === null
          ? ''
          : ` Last activity: ${momentInSentence(activity.lastActivityAt, nowMs)}.`
      return `Sluice was killed, or the PC lost power.${lastActivity}`
    }
    case 'updated':
      return `Sluice was updated from ${activity.from} to ${activity.to}.`
    case 'removed':
      return `${name}${size} was deleted from this PC${earlyWords(activity.early)}. The service has processed it.`
    case 'moved':
      return `${name}${size} was moved to ${activity.to}${earlyWords(activity.early)}. The service has processed it.`
    case 'not-removed':
      return `${name} stays on this PC. ${waitSentence(activity.wait)}`
    case 'no-space-freed':
      return `Sluice removed a file from ${activity.folder} early, but this freed no space. Snapshots, hard links or another program may still hold the file’s space. Sluice removes no more files early for one day, or until there is more free space.`
    case 'names-restored':
      return (activity.count ?? 1) > 1
        ? `Sluice gave ${activity.count} files their original names back, among them ${activity.path}. It had renamed them to move or delete them, and then the journal was lost.`
        : `Sluice gave ${activity.path} its original name back. It had renamed the file to move or delete it, and then the journal was lost.`
    case 'reopened': {
      const parts = activity.parts === 1 ? '1 part' : `${activity.parts} parts`
      const nextStep = activity.parts === 0 ? 'completes it again' : `sends ${parts} again and completes it`
      return `${name} was complete, but the service reopened it. Sluice ${nextStep}.`
    }
    case 'take-deviates':
      return `${name} is not as expected. ${activity.deviations.join(' ')}`
    case 'journal-recovered':
      return activity.restored
        ? 'The journal was damaged or missing. Sluice restored its last backup. No recording is lost.'
        : 'The journal was damaged or missing. Sluice rebuilds it from the folders and the service. No recording is lost.'
  }
}
