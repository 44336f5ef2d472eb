import { formatTimeOfDay } from '../words/format.ts'

export type PauseChoice = 'hour' | 'morning' | 'open-ended'

const MORNING_HOUR = 6

export const pauseWords = (choice: PauseChoice): string => {
  switch (choice) {
    case 'hour':
      return 'For 1 hour'
    case 'morning':
      return `Until ${formatTimeOfDay(`0${MORNING_HOUR}:00`)}`
    case 'open-ended':
      return 'Until I resume'
  }
}

export const pauseChoices: readonly PauseChoice[] = ['hour', 'morning', 'open-ended']

/**
 * The end of a pause that starts at `now`. `morning`: the next 06:00, local time. Null if it lasts until the user
 * resumes.
 */
export const pauseEnd = (choice: PauseChoice, now: Date): string | null => {
  switch (choice) {
    case 'hour':
      return new Date(now.getTime() + 3_600_000).toISOString()
    case 'morning': {
      const end = new Date(now)
      end.setHours(MORNING_HOUR, 0, 0, 0)
      if (end <= now) end.setDate(end.getDate() + 1)
      return end.toISOString()
    }
    case 'open-ended':
      return null
  }
}
