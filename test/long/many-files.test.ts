import { afterEach, test } from 'vitest'
import { expectManyFilesSafe } from '../support/many-files.ts'
import { seeded } from '../support/seeded.ts'
import { MIB, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test('processes 40 files of mixed sizes, 1 byte to 100 MB, and the service has the same bytes', async () => {
  station = await Station.open(['--rate-limit', '1000000'])
  await expectManyFilesSafe(station, {
    files: 40,
    largeBytes: 100_000_000,
    largePartBytes: 32 * MIB,
    random: seeded(40),
  })
})
