import { readFileSync } from 'node:fs'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'
import { SYSTEM_SID } from '../../managed/windows-trust-rules.ts'
import { whyUntrusted } from './program-rights.ts'
import { windowsAccountName, windowsAccountSid } from './service-files.ts'
import { TASK, type WindowsOptions } from './windows-task.ts'

/**
 * Hard case: A user registers a task with the name of Sluice's task before the administrator installs the service.
 * Every user may register tasks. The install keeps the account of an existing task only if no user can change the task.
 * Otherwise a user could name their own account in the task, and would get the data folder and the key.
 */

const isSid = (account: string): boolean => /^S-1-[\d-]+$/.test(account)

/** Matches only the UserId of the principal, because a trigger may have one too. */
const PRINCIPAL = /<Principal\b[\s\S]*?<UserId>([^<]+)<\/UserId>/

/**
 * The account under which the background service of this PC runs. A repeated install must keep this account, so that no
 * other account gets the files of the station. Null if there is no background service yet, or if a user can change its
 * task. Also null for SYSTEM, which has more rights than the agent needs.
 */
export const registeredAccount = (
  options: WindowsOptions,
  file = windowsSystemFile(`Tasks\\${TASK}`, options.environment),
): string | null => {
  if (whyUntrusted('file', file, options) !== null) return null
  // Depending on its version, Windows stores the name or the SID.
  const userId = PRINCIPAL.exec(readFileSync(file, 'utf16le'))?.[1]?.replaceAll('&amp;', '&')
  if (userId === undefined) return null
  const sid = isSid(userId) ? userId : (windowsAccountSid(userId) ?? options.accountSid(userId))
  if (sid === null || sid === SYSTEM_SID) return null
  const name = windowsAccountName(sid)
  return isSid(name) ? options.nameOf(sid) : name
}
