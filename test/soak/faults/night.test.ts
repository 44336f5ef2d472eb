import { expect } from 'vitest'
import { testFault } from '../../support/faults/test-fault.ts'
import { simulateNight } from '../../support/model/night.ts'

const recordings = 500

testFault('virtual-night', [], async ({ random }) => {
  const night = await simulateNight(recordings, random)
  expect(night.broken).toEqual([])
  return {
    recordings: night.recordings,
    rewritten: night.rewritten,
    'faults started': night.troubles,
    'failures met': night.failuresMet,
    'kinds of failures': night.kindsOfFailure,
    kills: night.kills,
    'clock jumps': night.clockJumps,
    'last processed at hour': night.lastProcessedAtHour,
  }
})
