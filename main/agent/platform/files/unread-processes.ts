import { systemCode } from './file-failure.ts'

/**
 * Whose processes a pass over /proc could not read. `other-users`: the system refused, as it does for the processes of
 * other users. `any`: a process or a drive did not answer, so the writer may be anyone.
 */
export type Unread = 'none' | 'other-users' | 'any'

const order = ['none', 'other-users', 'any'] as const satisfies readonly Unread[]

export const moreUnread = (a: Unread, b: Unread): Unread => (order.indexOf(a) > order.indexOf(b) ? a : b)

/** A process that ended meanwhile hides nothing. */
export const unreadBy = (error: unknown): Unread => {
  const code = systemCode(error)
  return code === 'EACCES' || code === 'EPERM' ? 'other-users' : 'none'
}

/** With `hidepid`, /proc does not even list the processes of other users. The first process always exists. */
export const unreadIn = (pids: readonly string[]): Unread => (pids.includes('1') ? 'none' : 'other-users')

/** A recorder owns the files that it creates, and the processes of this user are always readable. */
export const isUnseen = (unread: Unread, ownerUid: number | undefined): boolean => {
  switch (unread) {
    case 'none':
      return false
    case 'other-users':
      return ownerUid !== process.getuid?.()
    case 'any':
      return true
  }
}
