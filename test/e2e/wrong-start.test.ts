import { afterAll, beforeAll, describe, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { AppStation, window } from './app.ts'
import { endingStarts, expectEnds } from './wrong-starts.ts'

describe('a start that opens no window', needs(window), () => {
  let station: AppStation
  beforeAll(() => {
    station = new AppStation()
  })
  afterAll(() => station.close())

  it.each(endingStarts)('prints its sentence and exits with its code: $what', (start) =>
    expectEnds(station, start, 1),
  )
})
