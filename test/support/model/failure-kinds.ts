import type { Failure } from '../../../main/agent/domain/failure.ts'

/**
 * True for the failures that the random event sequences and simulated nights use. Separate tests cover the other
 * failures.
 */
export const isTemporary = (failure: Failure): boolean =>
  ![
    'not-found',
    'other-organisation',
    'journal-full',
    'journal-damaged',
    'list-refused',
    'session-mismatch',
    'list-endless',
    'listed-session-denied',
    'search-failed',
    'session-reopened',
  ].includes(failure.kind)

export const isControl = ({ kind, ...rest }: Failure): boolean =>
  ('origin' in rest && rest.origin === 'control') || ['auth', 'conflict', 'unreadable-answer'].includes(kind)
export const isStorage = ({ kind, ...rest }: Failure): boolean =>
  ('origin' in rest && rest.origin === 'storage') ||
  ['url-expired', 'part-corrupt', 'etag-missing'].includes(kind)
export const isFile = ({ kind }: Failure): boolean =>
  ['file-busy', 'file-unreadable', 'file-vanished'].includes(kind)

/** True if the service may have processed the request in spite of the failure. */
export const canBeLost = ({ kind }: Failure): boolean =>
  ['network', 'timeout', 'service', 'foreign-answer', 'unreadable-answer'].includes(kind)
