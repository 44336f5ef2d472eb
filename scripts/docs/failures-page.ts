import { type Failure, originOf } from '../../main/agent/domain/failure.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { type Decision, decide } from '../../main/agent/domain/retry-policy.ts'
import type { ConditionName } from '../../shared/status/conditions.ts'
import type { ProblemCode } from '../../shared/status/problem.ts'
import type { EndsBy } from '../../shared/status/problem-terms.ts'
import { policyRows } from './failure-examples.ts'

const endings: Readonly<Record<EndsBy, string>> = {
  time: 'it clears by itself',
  settings: 'changed settings',
  key: 'a different key',
  file: 'a change of the file',
  answer: 'a different answer of the service',
  person: 'an action of the user',
  folder: 'the folder is watched again',
  dismissed: 'a change of the file',
}

const formatDuration = (exactMs: number): string => {
  const ms = Math.round(exactMs / 1000) * 1000
  if (ms < 60_000) return `${ms / 1000} s`
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${ms / 3_600_000} h`
}

const describeDelay = (ms: number): string => (ms === 0 ? 'at once' : `after ${formatDuration(ms)}`)

/**
 * Describes when Sluice gives up a session: see `isLost` of `retry-policy.ts`. One answer "not found" is not enough,
 * because it may come from a lagging replica.
 */
const describeLostSession = ({ kind }: Failure): string =>
  kind === 'other-organisation'
    ? 'after three such answers, Sluice creates a new session. If the session was complete, the recording becomes `failed` instead'
    : 'after three such answers over 5 s (20 s if every part is sent), Sluice creates a new session. If a complete session gets such answers for 5 min, the recording becomes `failed`'

const problemCells = (code: ProblemCode, endsBy: EndsBy = problemOf(code).endsBy): readonly string[] => [
  `\`${code}\``,
  problemOf(code).owner,
  endings[endsBy],
]

/** The failures that show this problem, and when Sluice retries after each failure. */
export const policyOf = (
  code: ProblemCode,
): readonly {
  readonly description: string
  readonly condition: ConditionName | null
  readonly retry: string
}[] =>
  policyRows.flatMap(({ description, failure, streak = 1 }) => {
    const row = cells(failure, streak)
    if (row[1] !== `\`${code}\``) return []
    const decision = decide(failure, { attempt: 1, streak, isSessionLost: false }, () => 1)
    return [
      {
        description,
        condition: decision.kind === 'condition' ? decision.condition : null,
        retry: row[4] ?? '',
      },
    ]
  })

/** What Sluice does after the first failure, and how the wait grows. */
const cells = (failure: Failure, streak: number): readonly string[] => {
  const at = (attempt: number): Decision =>
    decide(failure, { attempt, streak, isSessionLost: attempt >= 3 }, () => 1)
  const [now, later] = [at(1), at(1_000)]
  switch (now.kind) {
    case 'wait': {
      const then = later.kind === 'wait' ? later : now
      const retry =
        then.afterMs === now.afterMs
          ? describeDelay(now.afterMs)
          : `after ${formatDuration(now.afterMs)}, growing to ${formatDuration(then.afterMs)}`
      const lost =
        later.kind === 'session-lost'
          ? `; ${describeLostSession(failure)}, and the user decides whether to send it again`
          : ''
      return [`the recording waits, the others continue${lost}`, ...problemCells(now.code, now.endsBy), retry]
    }
    case 'condition': {
      const retry =
        now.afterMs === null ? 'its probe, after 1 s, growing to 1 min' : describeDelay(now.afterMs)
      return [`condition of the station: ${now.condition}`, ...problemCells(now.code), retry]
    }
    case 'refresh-urls':
      return ['fetches new URLs', '', '', '', 'at once']
    case 'session-lost':
      return [
        'creates a new session; if the old session was complete, the recording becomes `failed`',
        '',
        '',
        '',
        'at once',
      ]
    case 'file-changed':
      return ['waits until the file settles, then hashes it again', '', '', '', 'at once']
    case 'file-vanished':
      return [
        'scans the folder to find out whether only the file is missing or the whole folder is offline',
        '`file-vanished`',
        'technician',
        'the file is back',
        'after 10 s',
      ]
    case 'drive-away':
      return ['waits for the drive; the folder shows a problem', '', '', 'the drive is back', 'after 10 s']
    case 'end-process':
      return ['ends the process; the next start repairs the journal', '', '', '', 'at once']
    case 'ignore':
      return ['nothing', '', '', '', 'at once']
  }
}

/** For a file without its end, the general text would be wrong: the settler only waits, and does not retry. */
const cutOffCells: readonly string[] = [
  'waits for ten settle times, or for two if the recorder has certainly crashed, then uploads the file as it is',
  ...problemCells('file-damaged', 'time'),
  '',
]

const HEAD = [
  'failure',
  'origin',
  'what Sluice does',
  'shown as',
  'who can fix it',
  'what ends it',
  'next retry',
]

export const failuresPage = (): string => {
  const line = (values: readonly string[]) => `| ${values.join(' | ')} |`
  const rows = policyRows.map(({ description, failure, streak = 1 }) =>
    line([
      description,
      originOf(failure),
      ...(failure.kind === 'file-unfinished' ? cutOffCells : cells(failure, streak)),
    ]),
  )
  return `# What goes wrong, and what happens then

\`npm run docs\` generates this page from [\`domain/retry-policy.ts\`](../main/agent/domain/retry-policy.ts); do not edit it.
After a failure, a recording keeps its state and waits. A failure that would affect every recording is a condition: it stops
the requests or the uploads of the whole station, and one probe retries for all recordings. Sluice retries by itself; a user can
only make Sluice retry earlier. Two kinds of recordings wait for a user instead: one that becomes \`failed\`, and one that a user must
release (\`take-held\`). The table has the longest waits: Sluice shortens each growing wait at random, by up to half.

Sluice shows a condition at once, unless the service asks for a delay of less than five seconds. If a failure concerns only
one recording, Sluice shows the problem from the third failure in a row on. Three kinds of problems appear after the first
failure: \`file-damaged\`, every problem whose first retry comes only after an hour, and every problem for which the service or
the storage requests a wait of more than 30 seconds.

If a recording has a problem that should clear by itself, it needs attention if the problem lasts, usually after about an hour.
There are two exceptions: \`file-busy\` needs attention after about ten minutes, and a problem whose wait grows to 1 h from the
sixth failure on. Sluice keeps retrying.

${line(HEAD)}
${line(HEAD.map(() => '---'))}
${rows.join('\n')}

## A folder

Every scan writes all problems of its folder into the journal, and a complete scan removes the problems that are gone. So status,
activity, log, metrics, alerts and the station check show these problems, even without a window. While a folder is offline,
replaced or unreadable, Sluice uploads nothing new from it. A problem of a single path, which the table marks with "leaves it out",
stops only this file or subfolder. Sluice uploads everything else in the folder.

${line(FOLDER_HEAD)}
${line(FOLDER_HEAD.map(() => '---'))}
${folderRows.map(folderLine).join('\n')}

## An archive

The journal knows each unfinished copy in an archive folder, and Sluice removes the copy after a crash. If the data folder is
lost too, the copy stays under its hidden name (\`.sluice-removing-<UUID>~<name>\`). Sluice does not remove it,
because a file with such a name can be the complete copy of a file that no longer exists, or a different station may be writing it.
If you have lost a data folder, look for such files that are older than a day. Delete such a file if the archive or the recording
folder also has the same recording under the name \`<name>\`.
`
}

const FOLDER_HEAD = ['failure', 'what Sluice does', 'shown as', 'who can fix it', 'what ends it']

const folderRows = [
  [
    'the folder is missing, or its drive does not answer',
    'waits; the recordings of the folder keep their states',
    'folder-offline',
  ],
  [
    'a different drive or folder is at the path of the folder',
    'uploads nothing from there until the user confirms the new folder',
    'folder-replaced',
  ],
  ['the folder itself cannot be read', 'waits', 'folder-unreadable'],
  [
    'the system does not report changes in the folder, or a program changes it faster than the events can be read',
    'scans more often',
    'folder-not-watched',
  ],
  ['a subfolder or file that this user may not read', 'leaves it out', 'folder-entry-unreadable'],
  ['a path longer than the system allows (4,096 bytes on Linux)', 'leaves it out', 'folder-path-too-long'],
  ['a name that is not valid UTF-8', 'leaves it out', 'file-name-not-text'],
] as const satisfies readonly (readonly [string, string, ProblemCode])[]

const folderLine = ([description, action, code]: (typeof folderRows)[number]): string => {
  const { owner, endsBy } = problemOf(code)
  const end = endsBy === 'file' ? 'a change of the folder or its drive' : endings[endsBy]
  return `| ${description} | ${action} | \`${code}\` | ${owner} | ${end} |`
}
