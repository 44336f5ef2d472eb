import { userInfo } from 'node:os'
import type { Owner } from '../local-files/data-folder-owner.ts'

/**
 * Hard case: Root runs commands for a service with its own user.
 * `doctor` takes on that user's rights before it reads anything. Every file that root creates in the data
 * folder belongs to the folder's owner.
 */

/** Exists in Node, but is missing from its types. */
const { initgroups } = process as { readonly initgroups?: (user: number, extraGroup: number) => void }

/**
 * Gives this process the rights of the user and their groups for good. A check as root would not show what an agent with
 * its own user can read.
 */
export const switchToUser = ({ uid, gid }: Owner): string => {
  try {
    initgroups?.(uid, gid)
  } catch {
    // A user without an entry on this PC, as in a container, has no extra groups.
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

/**
 * Runs one synchronous act with the rights of the user, and root's again afterwards. Whatever that user plants at a path
 * meanwhile leads only to files that the user may change anyway. Null runs it with the rights of this process.
 */
export const asUser = <T>(user: Owner | null, act: () => T): T => {
  if (user === null) return act()
  const groups = process.getgroups?.() ?? []
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  try {
    process.setgroups?.([])
    process.setegid?.(user.gid)
    process.seteuid?.(user.uid)
    return act()
  } finally {
    process.seteuid?.(uid)
    process.setegid?.(gid)
    process.setgroups?.(groups)
  }
}
