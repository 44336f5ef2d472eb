import {
  type Habit,
  learnHabit,
  type NightRecord,
  nightRecordOf,
} from '../../main/agent/domain/recording-habit.ts'
import { judgeSilence } from '../../main/agent/domain/silence.ts'
import { QUARTER_MS, quarterOf, slotAt } from '../../shared/status/nights.ts'
import type { StationYear } from './station-years.ts'

/** The rule judges by at most this many nights. The agent uses 112. */
const NIGHTS = 100

export type SilenceScore = {
  readonly nights: number
  readonly failures: number
  /** Failures that ended before they were reported. */
  readonly missed: number
  /** Nights in which the rule reported silence although nothing had failed. */
  readonly falseAlarms: readonly string[]
  /** Hours from the first missing recording to the report. */
  readonly hoursUntilAlarm: readonly number[]
}

/**
 * Simulates a year in steps of a quarter hour. The simulated user dismisses each false alarm for the night. Each
 * failure ends as planned, even if the rule has reported it.
 */
export const scoreSilence = (year: StationYear): SilenceScore => {
  const found = new Map<number, number>()
  const watched = new Set<number>()
  const silenceMarks = new Map<string, 'reported' | 'dismissed'>()
  const falseAlarms: string[] = []
  const reportedAt = new Map<number, number>()
  let next = 0
  const past: NightRecord[] = []
  let habit: { readonly of: number; readonly learned: Habit } | null = null
  for (const night of year.nights) {
    for (let quarter = quarterOf(night.startMs); quarter < quarterOf(night.endMs); quarter += 1) {
      if (year.watched.has(quarter)) watched.add(quarter)
      while ((year.found[next] ?? Number.POSITIVE_INFINITY) < (quarter + 1) * QUARTER_MS) {
        found.set(quarter, (found.get(quarter) ?? 0) + 1)
        next += 1
      }
      // Most quarter hours cannot have a report: the agent is off, or a recording has just been found.
      if (!watched.has(quarter) || found.has(quarter)) continue
      const nowMs = (quarter + 1) * QUARTER_MS
      const tonight = nightRecordOf(night, { found, watched }, silenceMarks.get(night.name) ?? null)
      const learn = (nights: readonly NightRecord[]): Habit => {
        if (habit?.of !== nights.length || past.length === 0)
          habit = { of: nights.length, learned: learnHabit(nights) }
        return habit.learned
      }
      const nights = [...past.slice(-(NIGHTS - 1)), tonight]
      const verdict = judgeSilence(nights, slotAt(quarter * QUARTER_MS) + 1, learn)
      if (verdict.kind !== 'silent') continue
      const failure = year.failures.findIndex(
        ({ missedFromMs, backMs }) => nowMs > missedFromMs && nowMs <= backMs,
      )
      if (failure >= 0) {
        if (!reportedAt.has(failure)) reportedAt.set(failure, nowMs)
        if (!silenceMarks.has(night.name)) silenceMarks.set(night.name, 'reported')
        continue
      }
      falseAlarms.push(night.name)
      silenceMarks.set(night.name, 'dismissed')
    }
    past.push(nightRecordOf(night, { found, watched }, silenceMarks.get(night.name) ?? null))
    habit = null
  }
  return {
    nights: year.nights.length,
    failures: year.failures.length,
    missed: year.failures.length - reportedAt.size,
    falseAlarms,
    hoursUntilAlarm: [...reportedAt].map(
      ([index, ms]) => (ms - (year.failures[index]?.missedFromMs ?? ms)) / 3_600_000,
    ),
  }
}
