import { describe, expect, it } from 'vitest'
import { parsePlace } from '../../../renderer/navigation.ts'

describe('a place that a notification points to', () => {
  it.each([
    ['recordings/12', { screen: 'recordings', recordingId: 12 }],
    ['recordings?problem=key-refused', { screen: 'recordings', problem: 'key-refused' }],
    ['recordings?problem=nonsense', { screen: 'recordings' }],
    ['javascript:alert(1)', { screen: 'overview' }],
    ['', { screen: 'overview' }],
  ])('is read from “%s”', (to, place) => {
    expect(parsePlace(to)).toEqual(place)
  })
})
