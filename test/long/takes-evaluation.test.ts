import { expect, test } from 'vitest'
import { rigNames, takeMonths } from '../evaluation/take-months.ts'
import { scoreTakes } from '../evaluation/takes.ts'
import { seeded } from '../support/seeded.ts'

/** One simulated half-year of each rig, with a fixed seed. `docs/takes.md` has the figures of five half-years. */
test.each(rigNames)(
  '%s: reports at least nine of ten faults, with at most one false alarm in 200 recordings',
  (rig) => {
    const random = seeded(7)
    const { good, falseAlarms, found, missed } = scoreTakes(takeMonths(rig, random), random)
    expect(found.length + missed.length).toBeGreaterThan(20)
    expect(found.length / (found.length + missed.length)).toBeGreaterThanOrEqual(0.9)
    expect(falseAlarms.length / good).toBeLessThanOrEqual(1 / 200)
  },
)
