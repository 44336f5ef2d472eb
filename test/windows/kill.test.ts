import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { edgeSizes, killRepeatedly, writeRandomFile } from '../support/kill-repeatedly.ts'
import { chooseSeed, seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

/** Under Wine, an agent needs seconds for each step. So there are fewer kills, each after a longer run. */
const { kills, maxRunMs } =
  process.env.SLUICE_WINE === undefined ? { kills: 25, maxRunMs: 500 } : { kills: 10, maxRunMs: 2_000 }

test(`an agent that is killed ${kills} times (TerminateProcess) creates one session per recording, loses nothing and sends no journaled part again`, async () => {
  const random = seeded(chooseSeed('TerminateProcess'))
  station = await Station.open()
  const sizes = edgeSizes(20, random)
  for (const [index, bytes] of sizes.entries())
    await writeRandomFile(path.join(station.recordings, `take-${index}.bin`), bytes, random)

  const report = await killRepeatedly(station, { kills, maxRunMs, random })

  expect(report.kills).toBeGreaterThanOrEqual(kills)
  expect(report.resent).toEqual([])
  expect(report.halfWayKills).toBeGreaterThan(0)
  expect((await station.status()).recordings).toHaveLength(sizes.length)
  await station.expectAllSafe()
})
