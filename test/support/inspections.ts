import type { InspectedChannel, Inspection } from '../../shared/status/inspection.ts'

export const channel = (name: string, change: Partial<InspectedChannel> = {}): InspectedChannel => ({
  name,
  type: null,
  messages: 900,
  rateHz: 30,
  largestGapS: 0.1,
  ...change,
})

/** A complete recording of 30 s with two cameras. */
export const inspectionOf = (change: Partial<Inspection> = {}): Inspection => ({
  format: 'mcap',
  completeness: 'complete',
  startedAtMs: 0,
  endedAtMs: 30_000,
  durationS: 30,
  channels: [channel('/wrist'), channel('/front')],
  warnings: [],
  ...change,
})
