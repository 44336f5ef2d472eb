import { redact } from '../../../shared/redaction/redact.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import type { RecordingDetail } from '../../../shared/status/status.ts'
import { escapeText } from '../../../shared/words/escape-text.ts'
import { ownerOf, ownerWords, wordOf } from '../../../shared/words/words.ts'

type Recording = Pick<
  RecordingDetail,
  | 'name'
  | 'state'
  | 'standing'
  | 'paused'
  | 'bytes'
  | 'sessionId'
  | 'problem'
  | 'foundAt'
  | 'heldSince'
  | 'changedAt'
  | 'timeline'
>

export type SupportSubject = {
  readonly station: string
  readonly version: string
  readonly platform: string
  readonly at: string
  readonly problem: Problem | null
  /** The watched folder with the problem. */
  readonly folder: string | null
  /** How many recordings have the problem. `recordings` contains only a few of them. */
  readonly count: number
  readonly recordings: readonly Recording[]
}

/** Support needs only the newest requests, and a recording that Sluice retried all night has hundreds. */
const MAX_REQUESTS = 8

type Line = readonly [name: string, value: string | null]

const problemLines = (problem: Problem): readonly Line[] => [
  ['Problem', problem.code],
  ['Message', problem.sentence],
  ['Owner', ownerWords[ownerOf(problem)].label],
  ['Next', problem.next],
  ['Next retry', problem.nextAt],
  ['Parameter', problem.param],
  ['Request ID', problem.requestId],
]

const recordingLines = (recording: Recording, shownProblem: Problem | null): readonly Line[] => {
  const { problem, timeline } = recording
  const requests = timeline.filter(({ requestId }) => requestId !== null).slice(-MAX_REQUESTS)
  return [
    ['File', recording.name],
    ['Status', `${wordOf(recording)} (${recording.state})`],
    ['Bytes', String(recording.bytes)],
    ['Session ID', recording.sessionId],
    ['Found', recording.foundAt],
    ['Changed', recording.changedAt],
    ['On hold since', recording.heldSince],
    // Add only what differs from `shownProblem`, which the text already contains.
    ...(problem !== null && problem.sentence !== shownProblem?.sentence ? problemLines(problem) : []),
    ...(problem !== null &&
    problem.sentence === shownProblem?.sentence &&
    problem.requestId !== shownProblem.requestId
      ? ([['Request ID', problem.requestId]] as const)
      : []),
    ...requests.map(
      ({ at, from, to, reason, requestId }): Line => [
        'Request',
        `${requestId} at ${at}: ${from === null || from === to ? to : `${from} to ${to}`}, ${reason}`,
      ],
    ),
  ]
}

/**
 * Formats one value per line. Escapes the values, because a file name or an answer of the service could contain a line
 * break and imitate a line of its own.
 */
const formatLines = (lines: readonly Line[]): string =>
  lines
    .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${escapeText(redact(value))}`]))
    .join('\n')

/** The facts that support asks for first, as plain text for an email. Times are UTC. Contains no secret. */
export const supportText = (subject: SupportSubject): string => {
  const { problem, folder, recordings, count } = subject
  const blocks = [
    formatLines([
      ['Sluice, for support', subject.at],
      ['Station', subject.station],
      ['Version', `${subject.version}, ${subject.platform}`],
    ]),
    ...(problem === null
      ? []
      : [
          formatLines([
            ...problemLines(problem),
            ['Folder', folder],
            ['Recordings', count > 1 ? String(count) : null],
          ]),
        ]),
    ...recordings.map((recording) => formatLines(recordingLines(recording, problem))),
  ]
  return `${blocks.join('\n\n')}\n`
}
