import type { Failure } from '../../main/agent/domain/failure.ts'

export type PolicyRow = {
  readonly what: string
  readonly failure: Failure
  /** The number of failures in a row. Default: 1. */
  readonly streak?: number
}

const requestId = 'req_1'
const network = { kind: 'network', connected: true, detail: 'connection reset' } as const
const timeout = { kind: 'timeout', connected: true, detail: 'no answer within the time limit' } as const
const failing = { kind: 'service', status: 503, retryAfterMs: null, message: 'down', requestId } as const
const page = { kind: 'foreign-answer', detail: 'HTTP 200 with an HTML page', requestId: null } as const
const slow = { kind: 'rate-limited', retryAfterMs: 120_000, message: 'slow down', requestId } as const
const refused = {
  kind: 'rejected',
  origin: 'control',
  status: 400,
  code: 'parameter_invalid',
  message: 'is not allowed',
  param: null,
  requestId,
} as const
const unauthorised = { kind: 'auth', message: 'no', requestId } as const

/** Every kind of failure needs a row; without one, this file does not compile. */
const byKind: { readonly [K in Failure['kind']]: readonly PolicyRow[] } = {
  network: [
    {
      what: 'no connection to the control API',
      failure: { ...network, origin: 'control', connected: false },
    },
    {
      what: 'this PC has no network',
      failure: { ...network, origin: 'control', connected: false, isOffline: true },
    },
    { what: 'the connection to the control API broke', failure: { ...network, origin: 'control' } },
    { what: 'the same, three times in a row', failure: { ...network, origin: 'control' }, streak: 3 },
    { what: 'no connection to the storage', failure: { ...network, origin: 'storage', connected: false } },
    { what: 'the connection of one part broke', failure: { ...network, origin: 'storage' } },
    { what: 'the same, three parts in a row', failure: { ...network, origin: 'storage' }, streak: 3 },
  ],
  timeout: [
    { what: 'the control API does not answer in time', failure: { ...timeout, origin: 'control' } },
    { what: 'the storage does not answer in time', failure: { ...timeout, origin: 'storage' } },
  ],
  certificate: [
    {
      what: 'the certificate of the service is not trusted',
      failure: { kind: 'certificate', origin: 'control', detail: 'self-signed' },
    },
    {
      what: 'the certificate of the storage is not trusted',
      failure: { kind: 'certificate', origin: 'storage', detail: 'self-signed' },
    },
  ],
  'proxy-sign-in': [
    { what: 'the proxy requires a sign-in (407)', failure: { kind: 'proxy-sign-in', origin: 'control' } },
    { what: 'the same for the storage', failure: { kind: 'proxy-sign-in', origin: 'storage' } },
  ],
  'foreign-answer': [
    {
      what: 'a redirect, a sign-in page or any other HTML, even if it carries a Request-Id',
      failure: { ...page, origin: 'control' },
    },
    { what: 'the same instead of an answer from the storage', failure: { ...page, origin: 'storage' } },
  ],
  'host-refused': [
    {
      what: 'a part’s URL has a host that is not allowed',
      failure: {
        kind: 'host-refused',
        origin: 'storage',
        detail: 'parts may not go to other.example, which is not among the upload hosts of the settings',
      },
    },
  ],
  auth: [
    { what: 'the key is wrong or revoked (401)', failure: { ...unauthorised, reason: 'refused' } },
    { what: 'the key may not write (403)', failure: { ...unauthorised, reason: 'not-permitted' } },
  ],
  'rate-limited': [
    { what: 'too many requests (429), with Retry-After 120', failure: { ...slow, origin: 'control' } },
    {
      what: 'the storage asks Sluice to slow down (503), with Retry-After 120',
      failure: { ...slow, origin: 'storage' },
    },
  ],
  service: [
    { what: 'the service reports an error (5xx)', failure: { ...failing, origin: 'control' } },
    { what: 'the same, three times in a row', failure: { ...failing, origin: 'control' }, streak: 3 },
    { what: 'the storage reports an error (5xx)', failure: { ...failing, origin: 'storage' } },
    { what: 'the same, three parts in a row', failure: { ...failing, origin: 'storage' }, streak: 3 },
  ],
  'other-organisation': [
    {
      what: 'the session belongs to a different organisation',
      failure: { kind: 'other-organisation', message: 'no', requestId },
    },
  ],
  'not-found': [
    { what: 'the session does not exist (404)', failure: { kind: 'not-found', message: 'no', requestId } },
  ],
  conflict: [
    {
      what: 'the service still works on an earlier request (409)',
      failure: { kind: 'conflict', code: 'conflict', message: 'busy', requestId },
    },
  ],
  'placeholder-unfilled': [
    {
      what: 'a placeholder of the folder’s site, device or notes cannot be filled in',
      failure: {
        kind: 'placeholder-unfilled',
        field: 'site',
        detail: 'site: there is nothing to put in for {2}',
      },
    },
  ],
  rejected: [
    { what: 'the service refuses the request and names no parameter (4xx)', failure: refused },
    ...['site', 'device', 'notes', 'filename', 'part_size', 'bytes', 'sha256'].map((param) => ({
      what: `the service refuses \`${param}\` (400)`,
      failure: { ...refused, param },
    })),
    { what: 'the storage refuses a part (4xx)', failure: { ...refused, origin: 'storage', status: 403 } },
  ],
  'list-refused': [
    {
      what: 'the key may not list sessions (403 for the list only); only the recordings whose session Sluice must look up have to wait',
      failure: { kind: 'list-refused', message: 'no', requestId },
    },
  ],
  'unreadable-answer': [
    {
      what: 'an answer that does not follow the contract',
      failure: { kind: 'unreadable-answer', detail: 'id: is no usable id', requestId },
    },
  ],
  'listed-denied': [
    {
      what: 'the list shows a session, but the service answers that this session does not exist; Sluice believes three such answers over five minutes',
      failure: {
        kind: 'listed-denied',
        detail: 'the service lists a session with the same content, but does not return it',
        requestId,
      },
    },
  ],
  'list-endless': [
    {
      what: 'a list of sessions that loops, breaks off or never ends; only the recordings whose session Sluice must look up have to wait',
      failure: { kind: 'list-endless', detail: 'a cursor came twice', requestId },
    },
    {
      what: 'a session with the recording’s name and size that shows its SHA-256 neither in the list nor when it is retrieved',
      failure: { kind: 'list-endless', detail: 'a session shows no SHA-256', requestId },
    },
  ],
  'session-mismatch': [
    {
      what: 'a session of a different recording, or with a different SHA-256 or size; Sluice never adopts it or calls it safe',
      failure: { kind: 'session-mismatch', detail: 'the session shows a different SHA-256', requestId },
    },
  ],
  'session-reopened': [
    {
      what: 'a complete session opens again for the fourth time; the first three times Sluice sends the missing parts at once',
      failure: { kind: 'session-reopened', requestId },
    },
  ],
  'parts-impossible': [
    {
      what: 'a part size outside the limits of §8, or over 10,000 parts',
      failure: { kind: 'parts-impossible', detail: 'parts of 1 bytes', requestId },
    },
  ],
  'checksum-mismatch': [
    {
      what: 'the service computes a different checksum for the whole file, four times',
      failure: { kind: 'checksum-mismatch', requestId },
    },
  ],
  'url-expired': [{ what: 'a signed URL has expired', failure: { kind: 'url-expired' } }],
  'part-corrupt': [{ what: 'a part arrived corrupted', failure: { kind: 'part-corrupt' } }],
  'etag-missing': [
    { what: 'the storage accepted a part but returned no ETag', failure: { kind: 'etag-missing' } },
  ],
  'file-changed': [
    { what: 'the file changed', failure: { kind: 'file-changed', detail: 'it was written to' } },
  ],
  'file-vanished': [{ what: 'the file is missing', failure: { kind: 'file-vanished' } }],
  'file-busy': [
    {
      what: 'the file is locked, or its drive reports an error (EBUSY, EIO, ESTALE, EMFILE)',
      failure: { kind: 'file-busy', detail: 'another program holds it open (EBUSY)' },
    },
  ],
  'file-unreadable': [
    {
      what: 'no permission to read the file',
      failure: { kind: 'file-unreadable', detail: 'permission denied (EACCES)' },
    },
  ],
  'file-empty': [{ what: 'the file is empty and no program writes it', failure: { kind: 'file-empty' } }],
  'file-unfinished': [{ what: 'the end of the file is missing', failure: { kind: 'file-unfinished' } }],
  'file-too-large': [
    { what: 'the file is larger than 10,000 parts of 512 MB', failure: { kind: 'file-too-large' } },
  ],
  'take-deviates': [
    {
      what: 'the recording is not as expected, and its folder holds such recordings (`on_deviation`)',
      failure: { kind: 'take-deviates', detail: '/camera/wrist has no messages (usually 30 Hz).' },
    },
  ],
  'journal-full': [{ what: 'no free space for the journal', failure: { kind: 'journal-full' } }],
  'journal-damaged': [{ what: 'the journal is damaged', failure: { kind: 'journal-damaged' } }],
  cancelled: [
    {
      what: 'Sluice stopped the work itself (pause, shutdown or changed settings)',
      failure: { kind: 'cancelled' },
    },
  ],
}

export const policyRows: readonly PolicyRow[] = Object.values(byKind).flat()
