import { readFileSync } from 'node:fs'
import { loadWindowsSecurity } from '../managed/windows-security.ts'

/** A number, or a SID on Windows. */
export type GroupId = number | string

const WINDOWS_SID = /^S-1(?:-\d{1,10}){2,15}$/

/**
 * The ID of a group with this name or ID. Null if this PC has no group with this name. Does not check whether a group
 * with this ID exists.
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
