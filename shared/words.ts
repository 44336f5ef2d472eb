import { formatClock, formatCount, momentInSentence, plural } from './format.ts'
import { type NightPart, totalOf } from './night-parts.ts'
import {
  type FolderStatus,
  needsSomebody,
  type Problem,
  type ProblemCode,
  type ProblemOwner,
  problemOwners,
  type RecordingRow,
  type RecordingState,
  type Silence,
  type Standing,
  type StationState,
  type Status,
} from './status.ts'

/**
 * The one vocabulary of window, tray, terminal, notifications and guides. docs/words.md is made of it.
 *
 * A tone is a meaning before it is a colour. `good`: safe, and nothing else. `busy`: it moves. `quiet`: it stands, and
 * nobody has to do anything. `warn`: somebody has to. `bad`: refused, or about to be destroyed; never a recording.
 */
export type Tone = 'good' | 'busy' | 'quiet' | 'warn' | 'bad'

export const toneWords: Readonly<Record<Tone, { readonly colour: string; readonly means: string }>> = {
  good: { colour: 'green', means: 'safe, and nothing else' },
  busy: { colour: 'blue', means: 'something moves' },
  quiet: { colour: 'grey', means: 'it waits or rests, and nobody has to do anything' },
  warn: { colour: 'amber', means: 'somebody has to do something' },
  bad: { colour: 'red', means: 'what was typed is refused, or something is about to be deleted' },
}

const DAY_MS = 86_400_000

type Term = { readonly word: string; readonly tone: Tone; readonly means: string }

export const standingWords: Readonly<Record<Standing, Term>> = {
  recording: {
    word: 'Recording',
    tone: 'busy',
    means: 'The recorder is still writing it, or has only just stopped.',
  },
  waiting: {
    word: 'Waiting',
    tone: 'quiet',
    means: 'Written, and on this PC. It continues by itself; its details say what it is waiting for.',
  },
  uploading: { word: 'Uploading', tone: 'busy', means: 'It is being sent.' },
  'at-service': {
    word: 'At the service',
    tone: 'busy',
    means: 'All of it has been sent; the service checks and processes it. Not safe yet.',
  },
  safe: { word: 'Safe', tone: 'good', means: 'The service has processed it. Nothing is left to do.' },
  'needs-someone': {
    word: 'Needs someone',
    tone: 'warn',
    means: 'Waiting does not help. Its card says whose job it is and what to do.',
  },
  'set-aside': {
    word: 'Set aside',
    tone: 'quiet',
    means:
      'It is not safe, and it needs nobody: somebody dismissed it, or its folder was removed from the settings.',
  },
  elsewhere: {
    word: 'At another service',
    tone: 'quiet',
    means: 'Processed, but for a different organisation or address from the one in use now.',
  },
}

/** Of one recording: paused by a person is why it waits, and theirs to end. */
export const wordOf = ({ standing, paused }: Pick<RecordingRow, 'standing' | 'paused'>): string =>
  standing === 'waiting' && paused ? 'Paused' : standingWords[standing].word

/** The parts of the night bar, behind their number. */
export const nightPartWords: Readonly<
  Record<NightPart, { readonly one: string; readonly many: string; readonly tone: Tone }>
> = {
  safe: { one: 'safe', many: 'safe', tone: 'good' },
  'at-service': { one: 'at the service', many: 'at the service', tone: 'busy' },
  here: { one: 'on this PC', many: 'on this PC', tone: 'quiet' },
  'needs-someone': { one: 'needs someone', many: 'need someone', tone: 'warn' },
  'set-aside': { one: 'set aside', many: 'set aside', tone: 'quiet' },
  elsewhere: { one: 'at another service', many: 'at another service', tone: 'quiet' },
}

/** The steps in the details of one recording, and nowhere else. */
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
  starting: { word: 'Starting', tone: 'quiet', means: 'Sluice has only just been started.' },
  idle: { word: 'All safe', tone: 'good', means: 'Every recording of this station is safe.' },
  resting: { word: 'Idle', tone: 'quiet', means: 'Nothing to do, and not every recording is safe.' },
  working: { word: 'Working', tone: 'busy', means: 'Something is being recorded, sent or processed.' },
  paused: {
    word: 'Paused',
    tone: 'quiet',
    means: 'Somebody paused uploading. New recordings are still noticed.',
  },
  attention: { word: 'Needs someone', tone: 'warn', means: 'Open the window and read the cards.' },
  offline: {
    word: 'Offline',
    tone: 'quiet',
    means: 'The service cannot be reached. Sluice keeps trying.',
  },
}

export const folderWords: Readonly<Record<FolderStatus['state'], Term>> = {
  watching: { word: 'Watching', tone: 'quiet', means: 'New files are noticed.' },
  scanning: { word: 'Scanning', tone: 'busy', means: 'The files that are there are being listed.' },
  offline: {
    word: 'Missing',
    tone: 'warn',
    means: 'The folder cannot be found: connect its drive or share.',
  },
  replaced: { word: 'Another drive', tone: 'warn', means: 'A different drive or folder is at this path.' },
  unusable: { word: 'Not usable', tone: 'warn', means: 'Sluice is not allowed to read it.' },
}

/** Of a folder that is watched and there, and does not record although it usually would. */
export const silentWords: Term = {
  word: 'Silent',
  tone: 'warn',
  means: 'It usually has recordings by now and has none: check the recorder.',
}

/** "Silent since 18:00" within a day; before that with its day. */
export const silentSince = ({ since }: Pick<Silence, 'since'>, now: number): string =>
  `${silentWords.word} since ${now - Date.parse(since) < DAY_MS ? formatClock(since) : momentInSentence(since, now)}`

export type Owner = ProblemOwner | 'nobody'

/** Whose job a problem is. What passes by itself is nobody's. */
export const ownerOf = (problem: Problem): Owner => (needsSomebody(problem) ? problem.owner : 'nobody')

export const ownerWords: Readonly<
  Record<Owner, { readonly label: string; readonly inSentence: string; readonly means: string }>
> = {
  technician: { label: 'For you', inSentence: 'you', means: 'whoever stands at this PC' },
  admin: {
    label: 'For your administrator',
    inSentence: 'your administrator',
    means: 'whoever sets folders, names and keys',
  },
  service: {
    label: 'For the service',
    inSentence: 'the service’s support',
    means: 'the people who run the service; give them the request ID',
  },
  nobody: { label: 'Clears by itself', inSentence: 'nobody', means: 'Sluice continues without anybody' },
}

type Needs = Status['needs']

const sumOf = (needs: Needs): number => problemOwners.reduce((sum, owner) => sum + needs[owner], 0)

/** "2 recordings need your administrator", "3 recordings need someone, 1 of them you". The cards say the rest. */
export const needSentence = (needs: Needs): string => {
  const owners = problemOwners.filter((owner) => needs[owner] > 0)
  const [only] = owners
  const need = plural(sumOf(needs), 'recording needs', 'recordings need')
  if (owners.length === 1 && only !== undefined) return `${need} ${ownerWords[only].inSentence}`
  return `${need} someone${needs.technician > 0 ? `, ${formatCount(needs.technician)} of them you` : ''}`
}

export const allSafe = (recordings: number): string =>
  recordings === 1 ? 'The one recording is safe.' : `All ${plural(recordings, 'recording')} are safe.`

/**
 * How much of it is safe and where the rest is, without a full stop: "23 of 31 are safe, 6 on the way (uploaded by
 * about 02:40), 2 set aside". Those that need someone have a sentence of their own.
 */
export const safeSentence = (standings: Status['standings'], done: string | null = null): string => {
  const onTheWay = standings.waiting + standings.uploading + standings['at-service']
  const share = (count: number, words: string) => (count > 0 ? [`${formatCount(count)} ${words}`] : [])
  const { safe } = standings
  return [
    `${formatCount(safe)} of ${formatCount(totalOf(standings))} ${safe === 1 ? 'is' : 'are'} safe`,
    ...share(onTheWay, done === null ? 'on the way' : `on the way (${done})`),
    ...share(standings.recording, 'still recording'),
    ...share(standings['set-aside'], 'set aside'),
    ...share(standings.elsewhere, 'at another service'),
  ].join(', ')
}

/** What stops or slows the whole station, in as few words as the status bar has room for. */
export const conditionWords: Readonly<Partial<Record<ProblemCode, string>>> = {
  'key-missing': 'Key missing',
  'key-refused': 'Key refused',
  'key-read-only': 'Key may not upload',
  'key-other-organisation': 'Key of another organisation',
  'service-unreachable': 'Service not reachable',
  'service-error': 'Service in trouble',
  'service-answer-unreadable': 'Service answer unreadable',
  'rate-limited': 'Service asks to slow down',
  'storage-unreachable': 'Storage not reachable',
  'storage-error': 'Storage in trouble',
  'storage-answer-unreadable': 'Storage answer unreadable',
  'storage-busy': 'Storage busy',
  'upload-host-refused': 'Storage host not allowed',
  'proxy-sign-in': 'Proxy wants a sign-in',
  'certificate-refused': 'Certificate not trusted',
  'managed-settings-bad': 'Managed settings faulty',
  'clock-wrong': 'Clock wrong',
  'disk-full': 'Disk full',
}

/** A problem on one line, with the request id to quote. */
export const sayProblem = ({ sentence, next, requestId }: Problem): string =>
  `${sentence} ${next}${requestId === null ? '' : ` Request ID: ${requestId}.`}`
