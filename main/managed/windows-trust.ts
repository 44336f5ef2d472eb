import { lstatSync } from 'node:fs'
import path from 'node:path'
import { readSecurityDescriptor } from './security-descriptor.ts'
import { type Place, type Trusts, USERS, whyUntrustedOnWindows } from './windows-judge.ts'
import { loadWindowsSecurity, type OpenedPlace, type WindowsSecurity } from './windows-security.ts'

/** A sentence for the administrator: whose file it is or who may change it, and the command that closes it. */
export class UntrustedError extends Error {}

type Question = {
  readonly file: string
  /** A file of the user himself is trusted too, wherever he named it. */
  readonly trustsSelf: boolean
  readonly holdsKey: boolean
}

export type WindowsWorld = {
  readonly platform: NodeJS.Platform
  readonly load: () => WindowsSecurity
}

/** The libraries are loaded once: the file is read again every few seconds. */
const loadOnce = (): (() => WindowsSecurity) => {
  let loaded: WindowsSecurity | null = null
  return () => {
    loaded ??= loadWindowsSecurity()
    return loaded
  }
}

const here: WindowsWorld = { platform: process.platform, load: loadOnce() }

const unreadable = (at: string, error: unknown): UntrustedError =>
  new UntrustedError(
    `It cannot be seen who may change ${at}, so it is not used (${error instanceof Error ? error.message : String(error)}).`,
  )

const load = (file: string, world: WindowsWorld): { security: WindowsSecurity; self: string } => {
  try {
    const security = world.load()
    return { security, self: security.self() }
  } catch (error) {
    throw unreadable(file, error)
  }
}

const refuseUntrusted = (kind: Place['kind'], at: string, opened: OpenedPlace, trusts: Trusts): void => {
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
 * On Windows every user may make folders in `%ProgramData%`. So a file there is read only if nobody but administrators
 * can change or replace it, and it stays open from that check until it is read. Elsewhere the file's mode is judged.
 */
export const whileTrusted = <T>(question: Question, read: () => T, world: WindowsWorld = here): T => {
  if (world.platform !== 'win32') return read()
  const { file, trustsSelf, holdsKey } = question
  const { security, self } = load(file, world)
  const trusts = {
    self: trustsSelf ? self : null,
    readers: holdsKey ? self : USERS,
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
        // Node says why, in the codes that callers know: missing, held or forbidden.
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
