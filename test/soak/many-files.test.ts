import { afterEach, test } from 'vitest'
import { expectManyFilesSafe } from '../support/many-files.ts'
import { seeded } from '../support/seeded.ts'
import { MIB, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test('processes 200 files of mixed sizes, 1 byte to 3 GB, and the service has the same bytes', async () => {
  station = await Station.open(['--rate-limit', '1000000'])
  await expectManyFilesSafe(station, {
    files: 200,
    largeBytes: 3_000_000_000,
    largePartBytes: 256 * MIB,
    random: seeded(200),
  })
})
