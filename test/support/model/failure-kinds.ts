import type { Failure } from '../../../main/agent/domain/failure.ts'

/** Temporary failures. Sluice believes a service that denies a session three times, or calls it foreign. */
export const passing = (failure: Failure): boolean =>
  ![
    'not-found',
    'other-organisation',
    'journal-full',
    'journal-damaged',
    'list-refused',
    'session-mismatch',
    'list-endless',
    'session-reopened',
  ].includes(failure.kind)

export const isControl = ({ kind, ...rest }: Failure): boolean =>
  ('origin' in rest && rest.origin === 'control') || ['auth', 'conflict', 'unreadable-answer'].includes(kind)
export const isStorage = ({ kind, ...rest }: Failure): boolean =>
  ('origin' in rest && rest.origin === 'storage') ||
  ['url-expired', 'part-corrupt', 'etag-missing'].includes(kind)
export const isFile = ({ kind }: Failure): boolean =>
  ['file-busy', 'file-unreadable', 'file-vanished'].includes(kind)

/** A refusal is not processed; for any other failed answer, nobody knows. */
export const canBeLost = ({ kind }: Failure): boolean =>
  ['network', 'timeout', 'service', 'foreign-answer', 'unreadable-answer'].includes(kind)
