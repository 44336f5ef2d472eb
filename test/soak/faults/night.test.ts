import { expect } from 'vitest'
import { play } from '../../support/faults/play.ts'
import { playNight } from '../../support/model/night.ts'

const recordings = 500

play('virtual-night', [], async ({ random }) => {
  const night = await playNight(recordings, random)
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
