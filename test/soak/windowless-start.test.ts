import { afterAll, beforeAll, describe, it } from 'vitest'
import { prepareWindow } from '../../scripts/window/open-app.mjs'
import { AppStation } from '../e2e/app.ts'
import { expectMessageAndExit, secondStart, windowlessStarts } from '../e2e/windowless-starts.ts'
import { type Need, needs } from '../support/needs.ts'

const TIMES = 100

const window = await prepareWindow()
const electron: Need = () => (window === null ? 'an Electron for this computer' : null)

describe('a start that opens no window', needs(electron), () => {
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

  it.each(windowlessStarts)(
    'prints the expected message and exits with the expected code in 100 starts: $situation',
    (start) => expectMessageAndExit(station, start, TIMES),
  )

  it('prints the expected message and exits with the expected code in 100 starts: already running', async () => {
    await station.startApp()
    await expectMessageAndExit(station, secondStart, TIMES)
  })
})
