import { readFileSync } from 'node:fs'

/** The id of a group by name or number. Null if this PC has no such group. */
export const groupIdOf = (group: string, file = '/etc/group'): number | null => {
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
