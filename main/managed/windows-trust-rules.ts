import type { AccessEntry, WindowsRights } from './security-descriptor.ts'

/** These SIDs are the same on every Windows. The names of the accounts depend on the language of Windows. */
export const ADMINISTRATORS_SID = 'S-1-5-32-544'
export const SYSTEM_SID = 'S-1-5-18'
const TRUSTED_INSTALLER = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464'
export const USERS_SID = 'S-1-5-32-545'
/** These SIDs stand for the owner. `whyUntrustedOnWindows` ignores their entries and checks the owner separately. */
const OWNER_PLACEHOLDERS: readonly string[] = ['S-1-3-0', 'S-1-3-4']

const trusted: readonly string[] = [ADMINISTRATORS_SID, SYSTEM_SID, TRUSTED_INSTALLER]

const DELETE = 0x0001_0000
const WRITE_RIGHTS = 0x0004_0000
const WRITE_OWNER = 0x0008_0000
const GENERIC_ALL = 0x1000_0000
const GENERIC_WRITE = 0x4000_0000
const WRITE_DATA = 0x0002
const APPEND_DATA = 0x0004
const DELETE_CHILD = 0x0040

const REPLACE = DELETE | WRITE_RIGHTS | WRITE_OWNER | GENERIC_ALL
/**
 * For each kind of path, the rights with which a user can change or replace it. The right to add files to a folder does
 * no harm: it replaces no existing file, and Sluice trusts no added file, because the user owns it. Every folder in
 * `%ProgramData%` inherits this right.
 */
const CHANGES = {
  file: REPLACE | WRITE_DATA | APPEND_DATA | GENERIC_WRITE,
  folder: REPLACE | DELETE_CHILD,
  // Windows loads libraries from the folder of a program, so an added file is enough to change the program.
  'program folder': REPLACE | DELETE_CHILD | WRITE_DATA | APPEND_DATA | GENERIC_WRITE,
}

export type CheckedPath = {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'program folder'
  readonly rights: WindowsRights
}

export type Trusts = {
  /** The SID of this user if Sluice also trusts the files of this user, otherwise null. */
  readonly self: string | null
  /** The SID of the readers of the file: all users or, if the file holds a key, only this user. */
  readonly readers: string
  readonly nameOf: (sid: string) => string
}

const quoted = (text: string): string => `"${text}"`

/**
 * The path is in quotes because it may contain spaces. The grants are in quotes because PowerShell would interpret
 * their parentheses.
 */
const fixCommand = ({ path, kind }: CheckedPath, sid: string, { readers }: Trusts): string => {
  const inherited = kind === 'file' ? '' : '(OI)(CI)'
  const grant = (to: string, right: string) => quoted(`*${to}:${inherited}${right}`)
  const grants = [grant(ADMINISTRATORS_SID, 'F'), grant(SYSTEM_SID, 'F'), grant(readers, 'RX')]
  const removed = sid === readers ? [] : ['/remove:g', `*${sid}`]
  return ['icacls', quoted(path), '/inheritance:r', ...removed, '/grant:r', ...grants].join(' ')
}

/** Null if only trusted accounts can change the path. Otherwise a sentence with the command that fixes the rights. */
export const whyUntrustedOnWindows = (place: CheckedPath, trusts: Trusts): string | null => {
  const { path, kind, rights } = place
  const isTrusted = (sid: string): boolean => trusted.includes(sid) || sid === trusts.self
  if (!isTrusted(rights.owner))
    return `${path} belongs to ${trusts.nameOf(rights.owner)}, so it is not used. Give it to the administrators: icacls ${quoted(path)} /setowner *${ADMINISTRATORS_SID}`
  if (rights.allowed === null)
    return `Everybody may change ${path}, so it is not used. Restrict access: ${fixCommand(place, USERS_SID, trusts)}`
  const changes = ({ sid, mask }: AccessEntry): boolean =>
    (mask & CHANGES[kind]) !== 0 && !isTrusted(sid) && !OWNER_PLACEHOLDERS.includes(sid)
  const other = rights.allowed.find(changes)
  return other === undefined
    ? null
    : `${trusts.nameOf(other.sid)} may change ${path}, so it is not used. Restrict access: ${fixCommand(place, other.sid, trusts)}`
}
