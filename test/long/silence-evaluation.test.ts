import { expect, test } from 'vitest'
import { scoreSilence } from '../evaluation/silence.ts'
import { stationYear } from '../evaluation/station-years.ts'
import { seeded } from '../support/seeded.ts'

const END_MS = new Date(2026, 11, 31, 20).getTime()
const NIGHTS = 150

/** A short run of `npm run evaluate -- silence`, with a fixed seed. `docs/silence.md` has the long run's figures. */
test.each(['nightly MCAP recorder', '24/7 logger', 'one burst a night'] as const)(
  'reports silences within hours, with few false alarms: simulated %s',
  (kind) => {
    const { failures, missed, falseAlarms, hoursUntilAlarm } = scoreSilence(
      stationYear(kind, seeded(1), END_MS, NIGHTS),
    )
    expect(failures).toBeGreaterThan(3)
    expect(missed).toBe(0)
    expect(falseAlarms.length).toBeLessThanOrEqual(2)
    expect([...hoursUntilAlarm].sort((a, b) => a - b)[Math.floor(hoursUntilAlarm.length / 2)]).toBeLessThan(3)
  },
)
