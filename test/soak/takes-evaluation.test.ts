import { expect, test } from 'vitest'
import { rigNames, takeMonths } from '../evaluation/take-months.ts'
import { scoreTakes } from '../evaluation/takes.ts'
import { seeded } from '../support/seeded.ts'

const TAKES = 1_200

/** A short run of `npm run evaluate -- takes`, with a fixed seed. docs/takes.md has the long run. */
test('reports nine of ten faults, with at most one false alarm in 200 recordings', () => {
  const scores = rigNames.map((rig) => {
    const random = seeded(7)
    return scoreTakes(takeMonths(rig, random, TAKES), random)
  })
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
  const found = sum(scores.map((score) => score.found.length))
  const missed = sum(scores.map((score) => score.missed.length))
  const falseAlarms = sum(scores.map((score) => score.falseAlarms.length))
  expect(found + missed).toBeGreaterThan(40)
  expect(found / (found + missed)).toBeGreaterThanOrEqual(0.9)
  expect(falseAlarms / sum(scores.map(({ good }) => good))).toBeLessThanOrEqual(1 / 200)
})
