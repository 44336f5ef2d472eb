import { execFileSync } from 'node:child_process'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'
import { readSecurityDescriptor, type WindowsRights } from '../managed/security-descriptor.ts'
import { loadWindowsSecurity, type WindowsSecurity } from '../managed/windows-security.ts'
import { ADMINISTRATORS_SID, SYSTEM_SID } from '../managed/windows-trust-rules.ts'

/**
 * Sets who may use the agent's named pipe on Windows. Node cannot give a pipe an access list, so Windows applies a
 * default list, which lets every user read the pipe. The agent replaces this list before it publishes the name of the
 * pipe.
 */

type PipeSecurity = Pick<WindowsSecurity, 'descriptorAt' | 'setSecurity' | 'self'>

const FULL_ACCESS = 'FA'
/**
 * The rights of group members. Node opens a pipe for reading and writing, so members need both rights. But with the
 * right to write, a member can also add an instance of the pipe, and answer other members in place of the agent. The
 * agent's account and administrators use a different pipe, which members cannot open.
 */
const READ_AND_WRITE = '0x12019f'

const WRITE_DATA = 0x0002
const GENERIC_WRITE = 0x4000_0000
const GENERIC_ALL = 0x1000_0000
const WRITES = WRITE_DATA | GENERIC_WRITE | GENERIC_ALL

const allow = (sid: string, rights: string): string => `(A;;${rights};;;${sid})`

const rightsAt = (
  place: string,
  { descriptorAt }: Pick<PipeSecurity, 'descriptorAt'>,
): WindowsRights | null => {
  try {
    const descriptor = descriptorAt(place)
    return descriptor === null ? null : readSecurityDescriptor(descriptor)
  } catch {
    return null
  }
}

/**
 * The accounts that may open a pipe. Null if this account may not see the access list, or if everybody may open the
 * pipe.
 */
export const pipeMembers = (
  pipe: string,
  security: Pick<PipeSecurity, 'descriptorAt'> = loadWindowsSecurity(),
): readonly string[] | null => rightsAt(pipe, security)?.allowed?.map(({ sid }) => sid) ?? null

/**
 * Admits only this account, administrators, the system and the group. Throws if Windows still admits any other account.
 */
export const restrictPipe = (
  pipe: string,
  group: string | null,
  security: PipeSecurity = loadWindowsSecurity(),
): void => {
  const self = security.self()
  const owners = [self, ADMINISTRATORS_SID, SYSTEM_SID]
  const entries = [
    ...owners.map((sid) => allow(sid, FULL_ACCESS)),
    ...(group === null ? [] : [allow(group, READ_AND_WRITE)]),
  ]
  // Clients check the owner, so set it to this account. By default, the pipe of an administrator belongs to the group
  // of administrators.
  const { allowed } = readSecurityDescriptor(security.setSecurity(pipe, `O:${self}D:P${entries.join('')}`))
  const admitted = new Set([...owners, ...(group === null ? [] : [group])])
  if (allowed === null || allowed.some(({ sid }) => !admitted.has(sid)))
    throw new Error('Windows did not restrict the pipe to the allowed accounts')
}

/**
 * The accounts whose pipe a client may trust: this user, administrators, the system, and the owner and the writers of
 * the data folder. Before the background service is installed, every user can create its data folder. So if the folder
 * belongs to the service, its owner and writers count only if the owner is the system or the administrators.
 */
const trustedAccounts = (
  dataFolder: string,
  isServiceFolder: boolean,
  security: PipeSecurity,
): ReadonlySet<string> => {
  const administrators = [ADMINISTRATORS_SID, SYSTEM_SID]
  const rights = rightsAt(dataFolder, security)
  const isPlanted = rights !== null && isServiceFolder && !administrators.includes(rights.owner)
  const ofFolder =
    rights === null || isPlanted
      ? []
      : [
          rights.owner,
          ...(rights.allowed ?? []).filter(({ mask }) => (mask & WRITES) !== 0).map(({ sid }) => sid),
        ]
  return new Set([security.self(), ...administrators, ...ofFolder])
}

/**
 * True if a trusted account owns the pipe. Null if Windows does not report the owner. Windows reports the owner only
 * while the agent waits for one more connection. Call this function while connected to the pipe: otherwise, another
 * program could replace the pipe after the check.
 */
export const isOwnPipe = (
  pipe: string,
  folder: { readonly dataFolder: string; readonly isOfService: boolean },
  security: PipeSecurity = loadWindowsSecurity(),
): boolean | null => {
  const rights = rightsAt(pipe, security)
  if (rights === null) return null
  return trustedAccounts(folder.dataFolder, folder.isOfService, security).has(rights.owner)
}

type RunIcacls = (args: readonly string[]) => void

const runIcacls: RunIcacls = (args) =>
  void execFileSync(windowsSystemFile('icacls.exe', process.env), args, { stdio: 'pipe', windowsHide: true })

/**
 * Lets the members of a group read `record`, the file that names their pipe. Also lets them read the owner and the
 * access list of the data folder. They can open no other file in this folder. Throws if Windows refuses.
 */
export const admitGroup = (
  { dataFolder, record }: { readonly dataFolder: string; readonly record: string },
  group: string,
  run: RunIcacls = runIcacls,
): void => {
  // With `/L`, icacls changes a planted link itself, not its target. Without `(OI)(CI)`, no file inherits the entry.
  // `/grant` only adds rights. `/grant:r` would reduce the rights of a group that already has more, such as the
  // administrators.
  run([dataFolder, '/L', '/grant', `*${group}:(X,RA,RC,S)`])
  run([record, '/L', '/grant', `*${group}:R`])
}
