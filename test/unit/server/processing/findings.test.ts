import { expect, test } from 'vitest'
import { concludeFindings, emptyInspection } from '../../../../server/processing/findings.ts'

test('the number of segments fits into the database, even if a file states an impossible duration', () => {
  const warning = { code: 'topic_missing', severity: 'warning', detail: 'A channel is missing.' } as const
  const segmentsOf = (durationS: number) =>
    concludeFindings({ ...emptyInspection(warning), durationS }, 0).segmentCount
  expect(segmentsOf(61)).toBe(2)
  expect(segmentsOf(1e300)).toBe(Number.MAX_SAFE_INTEGER)
})
