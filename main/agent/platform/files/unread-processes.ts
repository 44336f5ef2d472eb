import { readFileSync, readlinkSync } from 'node:fs'
import type { FileInspection } from '../../ports/files.ts'
import { systemCode } from './file-failure.ts'

/**
 * Hard case: A recorder of the same user hides its open files.
 * Linux hides the open files of a program that has more rights than Sluice, such as a program started with sudo. If the
 * system also grants no read lease, Sluice removes a file only after a day without a change.
 */

/**
 * Hard case: Sluice runs in a container, and a recorder outside has the file open.
 * Inside a container, Sluice sees only the processes of this container. If the system also grants no read lease, Sluice
 * removes a file only after a day without a change. If all recorders run in Sluice's container, the administrator can
 * avoid this wait with `SLUICE_RECORDERS_IN_CONTAINER`.
 */

/**
 * Which processes a pass over /proc could not read. `other-users`: only processes that write no file of this user, such
 * as processes of other users and sandboxed browsers. `own`: a process that may write files of this user. `any`: any
 * process may be the writer, for example because a read failed.
 */
export type UnreadProcesses = 'none' | 'other-users' | 'own' | 'any'

const unreadOrder = ['none', 'other-users', 'own', 'any'] as const satisfies readonly UnreadProcesses[]

export const maxUnread = (a: UnreadProcesses, b: UnreadProcesses): UnreadProcesses =>
  unreadOrder.indexOf(a) > unreadOrder.indexOf(b) ? a : b

/** A process that has ended hides nothing. After an error such as EMFILE, any process may be the writer. */
export const unreadBy = (error: unknown, pid: string): UnreadProcesses => {
  const code = systemCode(error)
  if (code === 'ENOENT' || code === 'ESRCH') return 'none'
  if (code !== 'EACCES' && code !== 'EPERM') return 'any'
  // Process 1 records nothing. So it counts as a process of another user, even if Sluice itself runs as root.
  return pid !== '1' && mayWriteFilesOfUser(pid, process.getuid?.()) ? 'own' : 'other-users'
}

/** Sluice follows only this many parents. A recorder that a shell starts through sudo has a shorter chain. */
const MAX_PARENTS = 16

/**
 * Whether the process may write files of this user. Also true for a process that this user started with different
 * rights: `sudo recorder > file` writes into a file that the user's shell created.
 */
export const mayWriteFilesOfUser = (
  pid: string,
  uid: number | undefined,
  readStatus: (pid: string) => string = statusOf,
): boolean => {
  const status = readStatus(pid)
  if (statusAllowsWriting(status, uid)) return true
  // If `statusAllowsWriting` is false, a process of this user is a browser or a login helper, and these record nothing.
  // A login helper may also run as root.
  if (usersIn(status).includes(String(uid)) || LOGIN_HELPER.test(status)) return false
  let parent = parentIn(status)
  for (let step = 0; step < MAX_PARENTS && parent !== undefined && Number(parent) > 1; step += 1) {
    const parentStatus = readStatus(parent)
    if (usersIn(parentStatus).includes(String(uid))) return true
    parent = parentIn(parentStatus)
  }
  return false
}

const usersIn = (status: string): readonly string[] => /^Uid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? []

const parentIn = (status: string): string | undefined => /^PPid:\s+(\d+)$/m.exec(status)?.[1]

/** The number of the first PID namespace on every Linux system. Only this namespace contains all processes. */
const FIRST_PID_NAMESPACE = 'pid:[4026531836]'

/**
 * Whether Sluice runs in a PID namespace other than the first, for example in a container, and so cannot see the
 * processes outside. True if this is unknown.
 */
export const isInPidNamespace = (
  readNamespace: () => string = () => readlinkSync('/proc/self/ns/pid'),
): boolean => {
  try {
    return readNamespace() !== FIRST_PID_NAMESPACE
  } catch {
    return true
  }
}

/**
 * With the mount option `hidepid`, /proc lists only the processes that this user may inspect, and omits even processes
 * of this user that have capabilities. Process 1 always exists, so a list without it is incomplete.
 */
export const unreadIn = (pids: readonly string[]): UnreadProcesses => (pids.includes('1') ? 'none' : 'own')

const statusOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** These programs run in almost every login session, hide their files and record nothing. */
const LOGIN_HELPER = /^Name:\t(?:\(sd-pam\)|gnome-keyring-d|ssh-agent|gpg-agent|scdaemon|fusermount3?)$/m

/**
 * Samba writes for users of other PCs. Between two requests it runs as root, so its user ID does not show whose files
 * it writes.
 */
const FILE_SERVER = /^Name:\tsmbd/m

/**
 * Sandboxed browsers, including Sluice's window, also hide their files. They have no capabilities and filter system
 * calls.
 */
const NO_CAPABILITIES = /^CapPrm:\s+0+$/m
const FILTERED_SYSTEM_CALLS = /^Seccomp:\s+[12]$/m

/**
 * Whether a process with this status may write files of this user. `status` is the text of /proc/PID/status. It shows
 * four users of the process: real, effective, saved, and the user for file access. The owner of the folder /proc/PID
 * does not help: for processes that hide their files, the owner is always root. Each of the four users counts,
 * because a program may change its user after it has opened a file.
 */
export const statusAllowsWriting = (status: string, uid: number | undefined): boolean => {
  if (FILE_SERVER.test(status)) return true
  const users = usersIn(status)
  const isBrowser =
    new Set(users).size === 1 && NO_CAPABILITIES.test(status) && FILTERED_SYSTEM_CALLS.test(status)
  return users.includes(String(uid)) && !isBrowser && !LOGIN_HELPER.test(status)
}

/**
 * The verdict on a file without a visible writer. A new file belongs to the user of its recorder. So a process of
 * another user writes a file of this user only if it is a file server, or if a process of this user started it. On a
 * drive that does not store owners, `ownerUid` is undefined, and any hidden process may be the writer.
 */
export const unseenWriter = (
  unread: UnreadProcesses,
  ownerUid: number | undefined,
): Exclude<FileInspection['writer'], 'open'> => {
  const isOwn = ownerUid !== undefined && ownerUid === process.getuid?.()
  switch (unread) {
    case 'none':
      return 'none'
    case 'other-users':
      return isOwn ? 'none' : 'unseen'
    case 'own':
      return isOwn ? 'unlikely' : 'unseen'
    case 'any':
      return 'unseen'
  }
}
