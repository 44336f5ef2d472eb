import type { DraftSettings } from '../../../shared/settings/settings.ts'

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

export const isQuiet = (hours: DraftSettings['app']['quiet_hours'], now: Date): boolean => {
  if (hours === undefined) return false
  const from = minutesOf(hours.from)
  const to = minutesOf(hours.to)
  const at = now.getHours() * 60 + now.getMinutes()
  return from <= to ? at >= from && at < to : at >= from || at < to
}
