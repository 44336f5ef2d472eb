import { type Failure, originOf } from '../../main/agent/domain/failure.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { type Decision, decide } from '../../main/agent/domain/retry-policy.ts'
import type { ConditionName } from '../../shared/status/conditions.ts'
import type { ProblemCode } from '../../shared/status/problem.ts'
import type { EndsBy } from '../../shared/status/problem-terms.ts'

export type PolicyRow = {
  readonly description: string
  readonly failure: Failure
  /** The number of failures in a row. Default: 1. */
  readonly streak?: number
}

const requestId = 'req_1'
const network = { kind: 'network', connected: true, detail: 'connection reset' } as const
const timeout = { kind: 'timeout', connected: true, detail: 'no answer within the time limit' } as const
const serviceError = { kind: 'service', status: 503, retryAfterMs: null, message: 'down', requestId } as const
const foreignPage = { kind: 'foreign-answer', detail: 'HTTP 200 with an HTML page', requestId: null } as const
const rateLimit = { kind: 'rate-limited', retryAfterMs: 120_000, message: 'slow down', requestId } as const
const rejection = {
  kind: 'rejected',
  origin: 'control',
  status: 400,
  code: 'parameter_invalid',
  message: 'is not allowed',
  param: null,
  requestId,
} as const
const authFailure = { kind: 'auth', message: 'no', requestId } as const

/** Every kind of failure needs a row; without one, this file does not compile. */
const byKind: { readonly [K in Failure['kind']]: readonly PolicyRow[] } = {
  network: [
    {
      description: 'no connection to the control API',
      failure: { ...network, origin: 'control', connected: false },
    },
    {
      description: 'this PC has no network',
      failure: { ...network, origin: 'control', connected: false, isOffline: true },
    },
    { description: 'the connection to the control API broke', failure: { ...network, origin: 'control' } },
    { description: 'the same, three times in a row', failure: { ...network, origin: 'control' }, streak: 3 },
    {
      description: 'no connection to the storage',
      failure: { ...network, origin: 'storage', connected: false },
    },
    { description: 'the connection of one part broke', failure: { ...network, origin: 'storage' } },
    { description: 'the same, three parts in a row', failure: { ...network, origin: 'storage' }, streak: 3 },
  ],
  timeout: [
    { description: 'the control API does not answer in time', failure: { ...timeout, origin: 'control' } },
    { description: 'the storage does not answer in time', failure: { ...timeout, origin: 'storage' } },
  ],
  certificate: [
    {
      description: 'the certificate of the service is not trusted',
      failure: { kind: 'certificate', origin: 'control', detail: 'self-signed' },
    },
    {
      description: 'the certificate of the storage is not trusted',
      failure: { kind: 'certificate', origin: 'storage', detail: 'self-signed' },
    },
  ],
  'proxy-sign-in': [
    {
      description: 'the proxy requires a sign-in (407)',
      failure: { kind: 'proxy-sign-in', origin: 'control' },
    },
    { description: 'the same for the storage', failure: { kind: 'proxy-sign-in', origin: 'storage' } },
  ],
  'foreign-answer': [
    {
      description: 'a redirect, a sign-in page or any other HTML, even if it carries a Request-Id',
      failure: { ...foreignPage, origin: 'control' },
    },
    {
      description: 'the same instead of an answer from the storage',
      failure: { ...foreignPage, origin: 'storage' },
    },
  ],
  'host-refused': [
    {
      description: 'a part’s URL has a host that is not allowed',
      failure: {
        kind: 'host-refused',
        origin: 'storage',
        detail: 'parts may not go to other.example, which is not among the upload hosts of the settings',
      },
    },
  ],
  auth: [
    { description: 'the key is wrong or revoked (401)', failure: { ...authFailure, reason: 'refused' } },
    { description: 'the key may not write (403)', failure: { ...authFailure, reason: 'not-permitted' } },
  ],
  'rate-limited': [
    {
      description: 'too many requests (429), with Retry-After 120',
      failure: { ...rateLimit, origin: 'control' },
    },
    {
      description: 'the storage asks Sluice to slow down (503), with Retry-After 120',
      failure: { ...rateLimit, origin: 'storage' },
    },
  ],
  service: [
    { description: 'the service reports an error (5xx)', failure: { ...serviceError, origin: 'control' } },
    {
      description: 'the same, three times in a row',
      failure: { ...serviceError, origin: 'control' },
      streak: 3,
    },
    { description: 'the storage reports an error (5xx)', failure: { ...serviceError, origin: 'storage' } },
    {
      description: 'the same, three parts in a row',
      failure: { ...serviceError, origin: 'storage' },
      streak: 3,
    },
  ],
  'other-organisation': [
    {
      description: 'the session belongs to a different organisation',
      failure: { kind: 'other-organisation', message: 'no', requestId },
    },
  ],
  'not-found': [
    {
      description: 'the session does not exist (404)',
      failure: { kind: 'not-found', message: 'no', requestId },
    },
  ],
  conflict: [
    {
      description: 'the service still works on an earlier request (409)',
      failure: { kind: 'conflict', code: 'conflict', message: 'busy', requestId },
    },
  ],
  'placeholder-unfilled': [
    {
      description: 'a placeholder of the folder’s site, device or notes cannot be filled in',
      failure: {
        kind: 'placeholder-unfilled',
        field: 'site',
        detail: 'site: there is nothing to put in for {2}',
      },
    },
  ],
  rejected: [
    { description: 'the service refuses the request and names no parameter (4xx)', failure: rejection },
    ...['site', 'device', 'notes', 'filename', 'part_size', 'bytes', 'sha256'].map((param) => ({
      description: `the service refuses \`${param}\` (400)`,
      failure: { ...rejection, param },
    })),
    {
      description: 'the storage refuses a part (4xx)',
      failure: { ...rejection, origin: 'storage', status: 403 },
    },
  ],
  'list-refused': [
    {
      description:
        'the key may not list sessions (403 for the list only); only the recordings whose session Sluice must look up have to wait',
      failure: { kind: 'list-refused', message: 'no', requestId },
    },
  ],
  'unreadable-answer': [
    {
      description: 'an answer that does not follow the contract',
      failure: { kind: 'unreadable-answer', detail: 'id: is no usable id', requestId },
    },
  ],
  'listed-denied': [
    {
      description:
        'the list shows a session, but the service answers that this session does not exist; Sluice believes three such answers over five minutes',
      failure: {
        kind: 'listed-denied',
        detail: 'the service lists a session with the same content, but does not return it',
        requestId,
      },
    },
  ],
  'list-endless': [
    {
      description:
        'a list of sessions that loops, breaks off or never ends; Sluice never treats it as proof of absence',
      failure: { kind: 'list-endless', detail: 'a cursor came twice', requestId },
    },
    {
      description:
        'a session with the recording’s name and size that shows its SHA-256 neither in the list nor when it is retrieved',
      failure: { kind: 'list-endless', detail: 'a session shows no SHA-256', requestId },
    },
  ],
  'session-mismatch': [
    {
      description:
        'a session of a different recording, or with a different SHA-256 or size; Sluice never adopts it or calls it safe',
      failure: { kind: 'session-mismatch', detail: 'the session shows a different SHA-256', requestId },
    },
  ],
  'session-reopened': [
    {
      description:
        'a complete session opens again for the fourth time; the first three times Sluice sends the missing parts at once',
      failure: { kind: 'session-reopened', requestId },
    },
  ],
  'parts-impossible': [
    {
      description: 'a part size outside the limits of §8, or over 10,000 parts',
      failure: { kind: 'parts-impossible', detail: 'parts of 1 bytes', requestId },
    },
  ],
  'checksum-mismatch': [
    {
      description: 'the service computes a different checksum for the whole file, four times',
      failure: { kind: 'checksum-mismatch', requestId },
    },
  ],
  'url-expired': [{ description: 'a signed URL has expired', failure: { kind: 'url-expired' } }],
  'part-corrupt': [{ description: 'a part arrived corrupted', failure: { kind: 'part-corrupt' } }],
  'etag-missing': [
    { description: 'the storage accepted a part but returned no ETag', failure: { kind: 'etag-missing' } },
  ],
  'file-changed': [
    { description: 'the file changed', failure: { kind: 'file-changed', detail: 'it was written to' } },
  ],
  'file-vanished': [{ description: 'the file is missing', failure: { kind: 'file-vanished' } }],
  'file-busy': [
    {
      description: 'the file is locked, or its drive reports an error (EBUSY, EIO, ESTALE, EMFILE)',
      failure: { kind: 'file-busy', detail: 'another program holds it open (EBUSY)' },
    },
  ],
  'file-unreadable': [
    {
      description: 'no permission to read the file',
      failure: { kind: 'file-unreadable', detail: 'permission denied (EACCES)' },
    },
  ],
  'file-empty': [
    { description: 'the file is empty and no program writes it', failure: { kind: 'file-empty' } },
  ],
  'file-unfinished': [
    { description: 'the end of the file is missing', failure: { kind: 'file-unfinished' } },
  ],
  'file-too-large': [
    { description: 'the file is larger than 10,000 parts of 512 MB', failure: { kind: 'file-too-large' } },
  ],
  'take-deviates': [
    {
      description: 'the recording is not as expected, and its folder holds such recordings (`on_deviation`)',
      failure: { kind: 'take-deviates', detail: '/camera/wrist has no messages (usually 30 Hz).' },
    },
  ],
  'journal-full': [{ description: 'no free space for the journal', failure: { kind: 'journal-full' } }],
  'journal-damaged': [{ description: 'the journal is damaged', failure: { kind: 'journal-damaged' } }],
  cancelled: [
    {
      description: 'Sluice stopped the work itself (pause, shutdown or changed settings)',
      failure: { kind: 'cancelled' },
    },
  ],
}

export const policyRows: readonly PolicyRow[] = Object.values(byKind).flat()

const endings: Readonly<Record<EndsBy, string>> = {
  time: 'time',
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

/** When `isLost` believes that a session is lost. Only "not found" must also last for a while. */
const describeLostSession = ({ kind }: Failure): string =>
  kind === 'other-organisation'
    ? 'after three such answers, Sluice creates a new session. If the session was complete, the recording becomes `failed` instead'
    : 'after three denials over 5 s (20 s if every part is sent), Sluice creates a new session. If a complete session is denied for 5 min, the recording becomes `failed`'

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
    const row = decisionCells(failure, streak)
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

/** The decision after the first attempt, and how the wait grows if the failure repeats. */
const decisionCells = (failure: Failure, streak: number): readonly string[] => {
  const decideAfter = (attempt: number): Decision =>
    decide(failure, { attempt, streak, isSessionLost: attempt >= 3 }, () => 1)
  const [first, later] = [decideAfter(1), decideAfter(1_000)]
  switch (first.kind) {
    case 'wait': {
      const longest = later.kind === 'wait' ? later : first
      const retry =
        longest.afterMs === first.afterMs
          ? describeDelay(first.afterMs)
          : `after ${formatDuration(first.afterMs)}, growing to ${formatDuration(longest.afterMs)}`
      const lost =
        later.kind === 'session-lost'
          ? `; ${describeLostSession(failure)}, and the user decides whether to send it again`
          : ''
      return [
        `the recording waits, the others continue${lost}`,
        ...problemCells(first.code, first.endsBy),
        retry,
      ]
    }
    case 'condition': {
      const retry =
        first.afterMs === null ? 'its probe, after 1 s, growing to 1 min' : describeDelay(first.afterMs)
      return [`condition of the station: ${first.condition}`, ...problemCells(first.code), retry]
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
        'scans the folder to distinguish missing from offline',
        '`file-vanished`',
        'technician',
        'the file is back',
        'after 10 s',
      ]
    case 'end-process':
      return ['ends the process; the next start repairs the journal', '', '', '', 'at once']
    case 'drop':
      return ['nothing', '', '', '', 'at once']
  }
}

const HEAD = [
  'failure',
  'origin',
  'what Sluice does',
  'shown as',
  'who can fix it',
  'what ends it',
  'next retry',
]

/** Renders `docs/failures.md`. */
export const failuresPage = (): string => {
  const line = (values: readonly string[]) => `| ${values.join(' | ')} |`
  const rows = policyRows.map(({ description, failure, streak = 1 }) =>
    line([description, originOf(failure), ...decisionCells(failure, streak)]),
  )
  return `# What goes wrong, and what happens then

\`npm run docs\` generates this page from [\`domain/retry-policy.ts\`](../main/agent/domain/retry-policy.ts); do not edit it.
After a failure, a recording keeps its state and waits. A failure that would affect every recording is a condition: it stops
the requests or the uploads of the whole station, and one probe retries for all recordings. Sluice always retries by itself; the
user can only retry earlier. Sluice shows a condition at once, except a delay of a few seconds that the service requests. If only
one recording waits, Sluice shows the problem from the third failure in a row. It shows two kinds of
problems after the first failure: \`file-damaged\`, and problems with an hourly retry. A problem that should pass by itself but has
lasted for an hour needs attention; Sluice retries as before.

${line(HEAD)}
${line(HEAD.map(() => '---'))}
${rows.join('\n')}

## A folder

Every scan writes all problems of its folder into the journal, and a complete scan removes the problems that are gone. So status,
activity, log, metrics, alerts and the station check show them with and without a window. Unless the folder is offline, replaced
or unreadable, Sluice uploads everything in it except the files and subfolders that the table marks with "leaves it out".

${line(FOLDER_HEAD)}
${line(FOLDER_HEAD.map(() => '---'))}
${folderRows.map(folderLine).join('\n')}
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
  ['a path over 4,096 bytes, or longer than the system allows', 'leaves it out', 'folder-path-too-long'],
  ['a name that is not valid UTF-8', 'leaves it out', 'file-name-not-text'],
] as const satisfies readonly (readonly [string, string, ProblemCode])[]

const folderLine = ([failure, reaction, code]: (typeof folderRows)[number]): string => {
  const { owner, endsBy } = problemOf(code)
  const end = endsBy === 'file' ? 'a change of the folder or its drive' : endings[endsBy]
  return `| ${failure} | ${reaction} | \`${code}\` | ${owner} | ${end} |`
}
