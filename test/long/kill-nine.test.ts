import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { edgeSizes, killRepeatedly, writeRandomFile } from '../support/kill-repeatedly.ts'
import { chooseSeed, seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test('after 12 kills at random moments, each recording has one session, nothing is lost, and no journaled part was sent again', async () => {
  const random = seeded(chooseSeed('kill -9'))
  station = await Station.open()
  const sizes = edgeSizes(12, random)
  for (const [index, bytes] of sizes.entries())
    await writeRandomFile(path.join(station.recordings, `take-${index}.bin`), bytes, random)

  const report = await killRepeatedly(station, { kills: 12, maxRunMs: 900, random })

  expect(report.resent).toEqual([])
  expect(report.halfWayKills).toBeGreaterThan(0)
  expect((await station.status()).recordings).toHaveLength(sizes.length)
  await station.expectAllSafe()
})
