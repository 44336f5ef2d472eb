import { readFileSync } from 'node:fs'
import { loadWindowsSecurity } from '../managed/windows-security.ts'

/** A number, or a SID on Windows. */
export type GroupId = number | string

const WINDOWS_SID = /^S-1(?:-\d{1,10}){2,15}$/

/**
 * Resolves a group, given as a name or an ID, to its ID. Null if this PC has no group with that name. Returns a number
 * or SID without checking that the group exists.
 */
export const groupIdOf = (group: string): GroupId | null =>
  process.platform === 'win32' ? windowsGroupId(group) : posixGroupId(group)

export const windowsGroupId = (
  group: string,
  groupSid: (name: string) => string | null = loadWindowsSecurity().groupSid,
): string | null => (WINDOWS_SID.test(group) ? group : groupSid(group))

export const posixGroupId = (group: string, file = '/etc/group'): number | null => {
  if (/^\d{1,9}$/.test(group)) return Number(group)
  try {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${group}:`))
    const id = Number(line?.split(':')[2] ?? Number.NaN)
    return Number.isInteger(id) ? id : null
  } catch {
    return null
  }
}
