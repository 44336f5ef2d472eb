import { afterAll, beforeAll, describe, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { isLong } from '../support/runs.ts'
import { AppStation, window } from './app.ts'
import { expectMessageAndExit, windowlessStarts } from './windowless-starts.ts'

describe('a start that opens no window', needs(window), () => {
  let station: AppStation
  beforeAll(() => {
    station = new AppStation()
  })
  afterAll(() => station.close())

  it.each(isLong ? windowlessStarts : windowlessStarts.slice(0, 2))(
    'prints the expected message and exits with the expected code: $situation',
    (start) => expectMessageAndExit(station, start, 1),
  )
})
