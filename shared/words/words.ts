import { type NightPart, totalOf } from '../status/night-parts.ts'
import { type Problem, problemNeedsAttention } from '../status/problem.ts'
import { type ProblemOwner, problemOwners } from '../status/problem-terms.ts'
import type { Standing } from '../status/standing.ts'
import {
  type FolderStatus,
  type RecordingRow,
  type RecordingState,
  type Silence,
  type StationState,
  type Status,
  uncheckedFolders,
} from '../status/status.ts'
import { formatClock, formatCount, formatDuration, momentInSentence, plural } from './format.ts'

/**
 * The vocabulary of window, tray, terminal, notifications and guides. `docs/words.md` is generated from this file.
 *
 * Each tone has one colour: see `toneWords`. A recording never has the tone `bad`.
 */
export type Tone = 'good' | 'busy' | 'quiet' | 'warn' | 'bad'

export const toneWords: Readonly<Record<Tone, { readonly colour: string; readonly means: string }>> = {
  good: { colour: 'green', means: 'safe; Sluice’s own screens use it for nothing else' },
  busy: { colour: 'blue', means: 'in progress' },
  quiet: { colour: 'grey', means: 'waiting or idle; you need not act' },
  warn: { colour: 'amber', means: 'a person has to act' },
  bad: { colour: 'red', means: 'invalid input, or something is about to be deleted' },
}

const DAY_MS = 86_400_000

type Term = { readonly word: string; readonly tone: Tone; readonly means: string }

export const standingWords: Readonly<Record<Standing, Term>> = {
  recording: {
    word: 'Recording',
    tone: 'busy',
    means: 'The recorder is still writing it. Shown as “Finishing” once the recorder has stopped.',
  },
  waiting: {
    word: 'Waiting',
    tone: 'quiet',
    means: 'On this PC, waiting to upload. It continues by itself; its details show the reason for the wait.',
  },
  uploading: { word: 'Uploading', tone: 'busy', means: 'It is being uploaded.' },
  'at-service': {
    word: 'At the service',
    tone: 'busy',
    means: 'Uploaded; the service is checking and processing it. Not safe yet.',
  },
  safe: { word: 'Safe', tone: 'good', means: 'The service has processed it. Nothing left to do.' },
  'needs-attention': {
    word: 'Needs attention',
    tone: 'warn',
    means: 'It does not continue by itself. Its card shows who has to act and what to do.',
  },
  dismissed: {
    word: 'Dismissed',
    tone: 'quiet',
    means:
      'It is not safe and needs no action: a user dismissed it, or its folder was removed from the settings.',
  },
  elsewhere: {
    word: 'At another service',
    tone: 'quiet',
    means: 'Processed, but for an organisation or service address that is not the current one.',
  },
}

type RowInWords = Pick<RecordingRow, 'standing' | 'paused'> &
  Partial<Pick<RecordingRow, 'settlesAt' | 'problem'>>

/**
 * The word for one recording: its standing, "Paused", "Cut off" or "Finishing, 6 s". Without `nowMs`, it shows no
 * remaining time.
 */
export const wordOf = ({ standing, paused, settlesAt, problem }: RowInWords, nowMs?: number): string => {
  if (standing === 'waiting' && paused) return 'Paused'
  if (standing !== 'recording') return standingWords[standing].word
  const isCutOff = problem?.code === 'file-damaged'
  if (settlesAt == null) return isCutOff ? 'Cut off' : standingWords.recording.word
  const timeLeft =
    nowMs === undefined ? '' : `, ${formatDuration(Math.max(1, (Date.parse(settlesAt) - nowMs) / 1000))}`
  return isCutOff
    ? `Cut off${timeLeft === '' ? '' : `, uploads in${timeLeft.slice(1)}`}`
    : `Finishing${timeLeft}`
}

/** The words after the count of each part of the night bar, as in "3 need attention". */
export const nightPartWords: Readonly<
  Record<NightPart, { readonly one: string; readonly many: string; readonly tone: Tone }>
> = {
  safe: { one: 'safe', many: 'safe', tone: 'good' },
  'at-service': { one: 'at the service', many: 'at the service', tone: 'busy' },
  here: { one: 'on this PC', many: 'on this PC', tone: 'quiet' },
  'needs-attention': { one: 'needs attention', many: 'need attention', tone: 'warn' },
  dismissed: { one: 'dismissed', many: 'dismissed', tone: 'quiet' },
  elsewhere: { one: 'at another service', many: 'at another service', tone: 'quiet' },
}

/** The stages in the timeline of one recording or session. */
export const stageWords: Readonly<Record<RecordingState, string>> = {
  growing: 'Recording',
  queued: 'Finished',
  hashing: 'Checksum',
  ready: 'Ready',
  uploading: 'Uploading',
  completing: 'Sent',
  processing: 'Processing',
  processed: 'Processed',
  failed: 'Stopped',
  gone: 'File gone',
}

export const stationWords: Readonly<Record<StationState, Term>> = {
  starting: {
    word: 'Starting',
    tone: 'quiet',
    means: 'Sluice has just started, or has no valid settings yet.',
  },
  idle: { word: 'All safe', tone: 'good', means: 'Every recording of this station is safe.' },
  resting: {
    word: 'Idle',
    tone: 'quiet',
    means: 'Nothing is in progress. There are no recordings yet, some are not safe, or a folder is silent.',
  },
  working: { word: 'Working', tone: 'busy', means: 'Something is being recorded, uploaded or processed.' },
  paused: {
    word: 'Paused',
    tone: 'quiet',
    means: 'Uploads are paused. New recordings are still queued.',
  },
  attention: { word: 'Needs attention', tone: 'warn', means: 'Open the window and read the cards.' },
  offline: {
    word: 'Offline',
    tone: 'quiet',
    means: 'The service cannot be reached. Sluice keeps trying.',
  },
}

/** Names the user, so that nobody takes the pause for a fault. */
export const PAUSED_WORDS = 'Paused by you'

export const folderWords: Readonly<Record<FolderStatus['state'], Term>> = {
  watching: { word: 'Watching', tone: 'quiet', means: 'Sluice is watching for new files.' },
  scanning: { word: 'Scanning', tone: 'busy', means: 'Sluice is listing the existing files.' },
  offline: {
    word: 'Missing',
    tone: 'warn',
    means: 'The folder is missing, or its drive does not answer. Connect its drive or share.',
  },
  replaced: { word: 'Different drive', tone: 'warn', means: 'A different drive or folder is at this path.' },
  unusable: {
    word: 'Not usable',
    tone: 'warn',
    means: 'Sluice cannot read it: no permission, or not a folder.',
  },
}

/** For a folder that has no recent recordings, but usually has some by now. */
export const silentWords: Term = {
  word: 'Silent',
  tone: 'warn',
  means: 'It usually has recordings by now and has no recent one. Check the recorder.',
}

/** "Silent since 18:00". After 24 hours, the words include the day. */
export const silentSince = ({ since }: Pick<Silence, 'since'>, now: number): string =>
  `${silentWords.word} since ${now - Date.parse(since) < DAY_MS ? formatClock(since) : momentInSentence(since, now)}`

export type Owner = ProblemOwner | 'nobody'

/** The person who has to act on a problem. `nobody`: it clears by itself, or a user caused the wait on purpose. */
export const ownerOf = (problem: Problem): Owner =>
  problemNeedsAttention(problem) ? problem.owner : 'nobody'

export const ownerWords: Readonly<
  Record<
    Owner,
    { readonly label: string; readonly inSentence: string; readonly colour: string; readonly means: string }
  >
> = {
  technician: {
    label: 'For you',
    inSentence: 'you',
    colour: 'amber, filled',
    means: 'the technician at this PC',
  },
  admin: {
    label: 'For your administrator',
    inSentence: 'your administrator',
    colour: 'violet',
    means: 'the person who sets up folders, names and keys',
  },
  service: {
    label: 'For support',
    inSentence: 'support',
    colour: 'slate blue',
    means: 'the support of the service; send them the request ID',
  },
  nobody: {
    label: 'Clears by itself',
    inSentence: 'nobody',
    colour: 'grey',
    means: 'Sluice continues by itself',
  },
}

type Needs = Status['needs']

/** "2 recordings need your administrator", "1 needs you, 3 need support". */
export const needSentence = (needs: Needs): string => {
  const owners = problemOwners.filter((owner) => needs[owner] > 0)
  const [only] = owners
  if (owners.length === 1 && only !== undefined)
    return `${plural(needs[only], 'recording needs', 'recordings need')} ${ownerWords[only].inSentence}`
  return owners
    .map((owner) => `${plural(needs[owner], 'needs', 'need')} ${ownerWords[owner].inSentence}`)
    .join(', ')
}

/** "All 42 recordings are safe", "40 of 42 recordings are safe". */
export const safeSentence = (safe: number, total: number): string => {
  if (safe < total) return `${formatCount(safe)} of ${plural(total, 'recording is', 'recordings are')} safe`
  return total === 1 ? 'The recording is safe' : `All ${plural(total, 'recording is', 'recordings are')} safe`
}

/**
 * The counts of the detail line: "23 of 31 safe", "3 uploading, 3 waiting, done about 02:40", "2 dismissed". Recordings
 * that need attention count only in the total. `finishing`: the number of unfinished recordings that no program writes
 * any more; null if unknown. With `hasUncheckedFolder`, the first count says "known recordings", because an unscanned
 * folder may have more.
 */
export const safeFacts = (
  standings: Status['standings'],
  {
    finishing = null,
    done = null,
    hasUncheckedFolder = false,
  }: { finishing?: number | null; done?: string | null; hasUncheckedFolder?: boolean } = {},
): readonly string[] => {
  const count = (number: number, words: string) => (number > 0 ? [`${formatCount(number)} ${words}`] : [])
  const { recording } = standings
  const toUpload = [...count(standings.uploading, 'uploading'), ...count(standings.waiting, 'waiting')]
  const total = totalOf(standings)
  const knownWords = total === 1 ? 'known recording safe' : 'known recordings safe'
  return [
    `${formatCount(standings.safe)} of ${formatCount(total)} ${hasUncheckedFolder ? knownWords : 'safe'}`,
    ...(finishing === null
      ? count(recording, 'not finished')
      : [...count(recording - finishing, 'still recording'), ...count(finishing, 'finishing')]),
    ...(toUpload.length === 0 ? [] : [[...toUpload, ...(done === null ? [] : [done])].join(', ')]),
    ...count(standings['at-service'], 'being processed'),
    ...count(standings.dismissed, 'dismissed'),
    ...count(standings.elsewhere, 'at another service'),
  ]
}

/** Headline and detail on one line, for tooltips and for messages to other programs. */
export const fullHeadline = ({ headline, detail }: Pick<Status['station'], 'headline' | 'detail'>): string =>
  detail === '' ? headline : `${headline} · ${detail}`

const MAX_NAME_LENGTH = 24
const MAX_NAME_WORDS = 3

/** The last part of a folder's path, cut if it is too long for a headline. */
export const shortFolderName = (path: string): string => {
  const name = path.split(/[\\/]/).findLast((part) => part !== '') ?? path
  const words = name.split(/\s+/)
  const shortName = words.length <= MAX_NAME_WORDS ? name : `${words.slice(0, MAX_NAME_WORDS).join(' ')}…`
  // Cut by code points, because a cut by UTF-16 units could split an emoji.
  const characters = [...shortName]
  return characters.length <= MAX_NAME_LENGTH
    ? shortName
    : `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…`
}

/** "CARD-04 not checked", "2 folders not checked". Empty if Sluice can scan every folder. */
export const uncheckedWords = (folders: readonly Pick<FolderStatus, 'path' | 'problems'>[]): string => {
  const paths = uncheckedFolders(folders).map(({ path }) => path)
  const [only] = paths
  if (only === undefined) return ''
  return `${paths.length === 1 ? shortFolderName(only) : plural(paths.length, 'folder')} not checked`
}

/** A problem on one line, with its request ID. */
export const problemText = ({ sentence, next, requestId }: Problem): string =>
  `${sentence} ${next}${requestId === null ? '' : ` Request ID: ${requestId}.`}`

/** The sentence of a problem, and the technical message that follows it in brackets. */
export const splitDetail = (sentence: string): { readonly plain: string; readonly detail: string | null } => {
  const [, plain = sentence, detail = null] = /^(.*?[.!?]) \((.*)\)$/s.exec(sentence) ?? []
  return { plain, detail }
}
