import { afterAll, beforeAll, describe, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { AppStation, window } from './app.ts'
import { endingStarts, expectEnds } from './wrong-starts.ts'

const TIMES = 4

describe('a start that leads nowhere', needs(window), () => {
  let station: AppStation
  beforeAll(() => {
    station = new AppStation()
  })
  afterAll(() => station.close())

  it.each(endingStarts)('prints its sentence and exits with its code, every time: $what', (start) =>
    expectEnds(station, start, TIMES),
  )
})
