import { afterEach, beforeEach, expect, test } from 'vitest'
import { BAG, DELETE, TakeStation } from '../../support/model/take-station.ts'

/** When the files of a take leave this PC, and when all of them stay. */

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
})
afterEach(() => model.closeAndExpectNoBugs())

test('a new take with the name of a removed one stays if the service has lost one of its sessions', async () => {
  model.configure(DELETE)
  model.write('bag/old.bin')
  expect(await model.until(() => model.recordings().length === 1 && model.names().length === 0)).toBe(true)
  model.configure({})
  model.write('bag/x.bin')
  model.write('bag/y.bin')
  expect(await model.areProcessed()).toBe(true)
  model.service.sessions.delete(model.at('bag/y.bin').sessionId ?? '')
  model.configure(DELETE)
  await model.until(() => model.names().length < 2, 60)
  expect(model.names()).toEqual(['bag/x.bin', 'bag/y.bin'])
})

test('a take stays while Sluice cannot read one of its subfolders', async () => {
  model.write('bag/x.bin')
  model.write('other/y.bin')
  expect(await model.areProcessed()).toBe(true)
  const { folderAccess } = model.drive
  const { scan } = folderAccess
  const unreadablePaths = [{ path: `${BAG}/camera`, code: 'EACCES', detail: 'denied' }]
  Object.assign(folderAccess, {
    scan: async (...args: Parameters<typeof scan>) => ({ ...(await scan(...args)), unreadablePaths }),
  })
  model.configure(DELETE)
  await model.until(() => model.names().length < 1, 30)
  expect(model.names()).toEqual(['bag/x.bin'])
  Object.assign(folderAccess, { scan })
  model.hint()
  expect(await model.until(() => model.names().length === 0)).toBe(true)
})
