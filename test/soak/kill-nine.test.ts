import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { edgeSizes, killAgainAndAgain, writeRandomFile } from '../support/kill-again.ts'
import { chooseSeed, seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

const KILLS = 500
const KILLS_PER_ROUND = 25

let station: Station
afterEach(() => station.close())

test('500 kills at random moments: one session each, nothing lost, no journaled part sent again', async () => {
  const random = seeded(chooseSeed('kill -9, 500 times'))
  station = await Station.open()
  let kills = 0
  let halfWay = 0
  // New recordings each round: an agent that has nothing left to do is not worth killing.
  for (let round = 0; kills < KILLS; round += 1) {
    for (const [index, bytes] of edgeSizes(20, random).entries())
      await writeRandomFile(path.join(station.recordings, `take-${round}-${index}.bin`), bytes, random)
    const report = await killAgainAndAgain(station, { kills: KILLS_PER_ROUND, longestRunMs: 900, random })
    expect(report.resent).toEqual([])
    kills += report.kills
    halfWay += report.halfWay
    await station.expectAllSafe()
  }
  console.log(`${kills} kills, ${halfWay} of them between two parts of a recording`)
  expect(halfWay).toBeGreaterThan(0)
})
