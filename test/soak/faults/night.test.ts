import { expect } from 'vitest'
import { play } from '../../support/faults/play.ts'
import { playNight } from '../../support/model/night.ts'

const recordings = 500

play('virtual-night', [], async ({ random }) => {
  const { broken, ...figures } = await playNight(recordings, random)
  expect(broken).toEqual([])
  return { ...figures }
})
