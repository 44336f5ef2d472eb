export type PauseChoice = 'hour' | 'morning' | 'open-ended'

export const pauseWords: Readonly<Record<PauseChoice, string>> = {
  hour: 'For 1 hour',
  morning: 'Until 6:00',
  'open-ended': 'Until I resume',
}

export const pauseChoices: readonly PauseChoice[] = ['hour', 'morning', 'open-ended']

/** When a pause that begins now ends; null stays paused until somebody resumes. "6:00" is the next one, local time. */
export const pauseEnd = (choice: PauseChoice, now: Date): string | null => {
  switch (choice) {
    case 'hour':
      return new Date(now.getTime() + 3_600_000).toISOString()
    case 'morning': {
      const end = new Date(now)
      end.setHours(6, 0, 0, 0)
      if (end <= now) end.setDate(end.getDate() + 1)
      return end.toISOString()
    }
    case 'open-ended':
      return null
  }
}
