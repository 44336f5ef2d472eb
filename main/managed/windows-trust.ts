import { lstatSync } from 'node:fs'
import path from 'node:path'
import { readSecurityDescriptor } from './security-descriptor.ts'
import { loadWindowsSecurity, type OpenedPlace, type WindowsSecurity } from './windows-security.ts'
import { type CheckedPath, type Trusts, USERS_SID, whyUntrustedOnWindows } from './windows-trust-rules.ts'

/**
 * The message is for the administrator: why the file is not used and, for wrong rights, the command that fixes them.
 */
export class UntrustedError extends Error {}

type TrustRequest = {
  readonly file: string
  /** Whether Sluice also trusts files and folders of this user. */
  readonly trustsSelf: boolean
  readonly holdsKey: boolean
}

type FileSecurity = Pick<WindowsSecurity, 'open' | 'self' | 'nameOf'>

export type WindowsContext = {
  readonly platform: NodeJS.Platform
  readonly load: () => FileSecurity
}

const thisPc: WindowsContext = { platform: process.platform, load: loadWindowsSecurity }

const unreadable = (at: string, error: unknown): UntrustedError =>
  new UntrustedError(
    `Sluice cannot read who may change ${at}, so it is not used (${error instanceof Error ? error.message : String(error)}).`,
  )

const load = (file: string, context: WindowsContext): { security: FileSecurity; self: string } => {
  try {
    const security = context.load()
    return { security, self: security.self() }
  } catch (error) {
    throw unreadable(file, error)
  }
}

const refuseUntrusted = (
  kind: CheckedPath['kind'],
  at: string,
  opened: OpenedPlace,
  trusts: Trusts,
): void => {
  let why: string | null
  try {
    why = lstatSync(at).isSymbolicLink()
      ? `${at} is a link, so it is not used. Put the ${kind} itself there.`
      : whyUntrustedOnWindows({ path: at, kind, rights: readSecurityDescriptor(opened.descriptor()) }, trusts)
  } catch (error) {
    throw unreadable(at, error)
  }
  if (why !== null) throw new UntrustedError(why)
}

/**
 * On Windows, every user may create folders in `%ProgramData%`. So Sluice reads a file only if no untrusted user can
 * change or replace it. Between this check and the read, the file and its folder stay open, so that nobody can swap
 * them. On other systems, the caller checks the mode of the file.
 */
export const readWhileTrusted = <T>(
  request: TrustRequest,
  read: () => T,
  context: WindowsContext = thisPc,
): T => {
  if (context.platform !== 'win32') return read()
  const { file, trustsSelf, holdsKey } = request
  const { security, self } = load(file, context)
  const trusts = {
    self: trustsSelf ? self : null,
    readers: holdsKey ? self : USERS_SID,
    nameOf: security.nameOf,
  }
  const opened: OpenedPlace[] = []
  try {
    const places = [
      ['folder', path.dirname(path.resolve(file))],
      ['file', file],
    ] as const
    for (const [kind, at] of places) {
      const place = security.open(at)
      if (place === null) {
        // Read the file, because Node's error shows the reason: it is missing, in use or denied.
        read()
        throw unreadable(at, new Error('Windows does not open it'))
      }
      opened.push(place)
      refuseUntrusted(kind, at, place, trusts)
    }
    return read()
  } finally {
    for (const place of opened) place.close()
  }
}
