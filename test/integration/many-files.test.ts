import { afterEach, test } from 'vitest'
import { expectManyFilesSafe } from '../support/many-files.ts'
import { seeded } from '../support/seeded.ts'
import { MIB, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test('60 files of mixed sizes, 1 byte to 200 MB: every one processed, the same bytes at the service', async () => {
  station = await Station.open(['--rate-limit', '1000000'])
  await expectManyFilesSafe(station, {
    files: 60,
    largeBytes: 200_000_000,
    largePartBytes: 64 * MIB,
    random: seeded(60),
  })
})
