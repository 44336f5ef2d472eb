import { afterAll, beforeAll, describe, it } from 'vitest'
import { prepareWindow } from '../../scripts/window/open-app.mjs'
import { AppStation } from '../e2e/app.ts'
import { endingStarts, expectEnds, secondStart } from '../e2e/wrong-starts.ts'
import { type Need, needs } from '../support/needs.ts'

const TIMES = 100

const window = await prepareWindow()
const electron: Need = () => (window === null ? 'an Electron for this computer' : null)

describe('a start that cannot succeed', needs(electron), () => {
  let station: AppStation
  beforeAll(() => {
    const { DISPLAY } = window?.env ?? {}
    Object.assign(process.env, {
      SLUICE_ELECTRON: window?.executable,
      SLUICE_ELECTRON_ARGS: JSON.stringify(window?.args),
      ...(DISPLAY === undefined ? {} : { DISPLAY }),
    })
    station = new AppStation()
  })
  afterAll(async () => {
    await station.close()
    window?.close()
  })

  it.each(endingStarts)('exits with its sentence and code, a hundred times: $what', (start) =>
    expectEnds(station, start, TIMES),
  )

  it('exits with its sentence and code, a hundred times: already running', async () => {
    await station.startApp()
    await expectEnds(station, secondStart, TIMES)
  })
})
