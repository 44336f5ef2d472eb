import { userInfo } from 'node:os'
import type { Owner } from '../local-files/data-folder-owner.ts'

/** In Node, and not in its types. */
const { initgroups } = process as { readonly initgroups?: (user: number, extraGroup: number) => void }

/**
 * From here on this process has the rights of that user and of the user's groups, and never root's again. What root can
 * read says nothing about what a service with a user of its own can.
 */
export const actAs = ({ uid, gid }: Owner): string => {
  try {
    initgroups?.(uid, gid)
  } catch {
    // A user without an entry on this PC, as in a container, has no other groups.
    process.setgroups?.([])
  }
  process.setgid?.(gid)
  process.setuid?.(uid)
  try {
    return userInfo().username
  } catch {
    return String(uid)
  }
}
