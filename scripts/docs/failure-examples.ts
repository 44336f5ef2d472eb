import type { Failure } from '../../main/agent/domain/failure.ts'

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
        'the key may not list sessions (403 for the list only), but Sluice must look up the session of this recording',
      failure: { kind: 'list-refused', message: 'no', requestId },
    },
  ],
  'unreadable-answer': [
    {
      description: 'an answer that does not follow the contract',
      failure: { kind: 'unreadable-answer', detail: 'id: is no usable id', requestId },
    },
  ],
  'listed-session-denied': [
    {
      description:
        'the list shows a session, but the service answers that this session does not exist (Sluice accepts this only after three such answers over five minutes)',
      failure: {
        kind: 'listed-session-denied',
        detail: 'the service lists a session with the same content, but does not return it',
        requestId,
      },
    },
  ],
  'search-failed': [
    {
      description:
        'the search for a session fails or gets a useless answer, but the recording probably has no session (after ten retries, Sluice uploads the recording)',
      failure: { kind: 'search-failed', detail: 'busy, status 503', requestId },
    },
  ],
  'list-endless': [
    {
      description:
        'the list of sessions loops, breaks off or never ends, but Sluice must look up the session of this recording',
      failure: { kind: 'list-endless', detail: 'a cursor came twice', requestId },
    },
    {
      description:
        'a session has the recording’s name and size, but the service does not show the SHA-256 of that session',
      failure: { kind: 'list-endless', detail: 'a session shows no SHA-256', requestId },
    },
  ],
  'session-mismatch': [
    {
      description:
        'the service returns a session that does not match the recording (Sluice never adopts such a session)',
      failure: { kind: 'session-mismatch', detail: 'the session shows a different SHA-256', requestId },
    },
  ],
  'session-reopened': [
    {
      description:
        'a complete session opens again for the fourth time (the first three times, Sluice sends the missing parts at once)',
      failure: { kind: 'session-reopened', requestId },
    },
  ],
  'parts-impossible': [
    {
      description:
        'a part size outside the limits of the contract (§8), over 10,000 parts, or a part size that changes three times within an hour',
      failure: { kind: 'parts-impossible', detail: 'parts of 1 bytes', requestId },
    },
  ],
  'checksum-mismatch': [
    {
      description: 'four times, the service computes a different checksum for the whole file',
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
  'drive-away': [
    {
      description: 'the drive of the folder is missing, or a different drive is there',
      failure: { kind: 'drive-away' },
    },
  ],
  'file-busy': [
    {
      description:
        'the file is locked, its drive reports an error, or too many files are open (EBUSY, EIO, ESTALE, EMFILE)',
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
  'marker-outdated': [
    {
      description: 'the marker file (`marker_suffix`) is older than the file, and no program writes the file',
      failure: { kind: 'marker-outdated' },
    },
  ],
  'marker-missing': [
    {
      description:
        'the marker file (`marker_suffix`) does not arrive within 10 minutes after the last change, and no program writes the file',
      failure: { kind: 'marker-missing', detail: 'take.bin.done' },
    },
  ],
  'take-deviates': [
    {
      description:
        'the recording is not as expected, and its folder is set to hold such recordings back (`on_deviation`)',
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
