import { userInfo } from 'node:os'
import type { Owner } from '../local-files/data-folder-owner.ts'

/**
 * Hard case: Root runs commands for a background service that has its own user.
 * `doctor` switches to that user's rights before it reads the station. Every file that root creates in the data folder
 * belongs to the folder's owner.
 */

/** Node has this function, but Node's types lack it. */
const { initgroups } = process as { readonly initgroups?: (user: number, extraGroup: number) => void }

/**
 * Permanently gives this process the rights of the user, because a check with root's rights would also succeed for
 * files that this user cannot read. Returns the name of the user, or the number of a user without a name.
 */
export const switchToUser = ({ uid, gid }: Owner): string => {
  try {
    initgroups?.(uid, gid)
  } catch {
    // A user that this PC does not know, as in a container, has no extra groups.
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
 * Runs one synchronous task with the rights of the user, or with the rights of this process if `user` is null. If the
 * user plants a link meanwhile, the task reaches only files that the user may change anyway.
 */
export const runAsUser = <T>(user: Owner | null, task: () => T): T => {
  if (user === null) return task()
  const groups = process.getgroups?.() ?? []
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  try {
    process.setgroups?.([])
    process.setegid?.(user.gid)
    process.seteuid?.(user.uid)
    return task()
  } finally {
    process.seteuid?.(uid)
    process.setegid?.(gid)
    process.setgroups?.(groups)
  }
}
