import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServiceLink } from '../../../../../main/agent/assembly/service-link.ts'
import { PendingWrites } from '../../../../../main/agent/stage/pending-writes.ts'
import { Station } from '../../../../../main/agent/station/station.ts'
import { systemClock } from '../../../../../shared/clock/clock.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(Date.now)
})
afterEach(() => temp.close())

test.each([
  ['without a key', null],
  ['with a key', 'svc_live_other'],
])('a new service address %s does not count as reachable before its first answer', async (_, apiKey) => {
  const { journal } = temp
  const station = new Station(journal, systemClock, Math.random, () => null)
  const ignore = () => {}
  const link = new ServiceLink({
    journal,
    station,
    writes: new PendingWrites({ journal, reportError: () => expect.unreachable() }),
    clock: systemClock,
    random: Math.random,
    log: { info: ignore, warn: ignore, error: ignore },
    guard: (_where, work) => work(),
  })
  const connect = (address: string, key: string | null) =>
    link.replace({
      settings: settingsSchema.parse({ service: { base_url: address } }),
      apiKey: key,
      systemProxy: { kind: 'direct' },
    })
  await connect('http://127.0.0.1:1', 'svc_live_first')
  station.noteAnswer('control', systemClock.monotonicMs())
  expect(station.reachable).toBe(true)
  await connect('http://127.0.0.1:2', apiKey)
  expect(station.reachable).toBeNull()
  await link.close()
})
