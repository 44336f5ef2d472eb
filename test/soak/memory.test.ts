import { afterEach, expect, test } from 'vitest'
import { MIB, Station } from '../support/station.ts'
import { uploadSparseFile } from '../support/watch-memory.ts'

let station: Station
afterEach(() => station.close())

for (const gigabytes of [2, 20])
  test(`${gigabytes} GB are hashed and uploaded in less than 200 MB of memory`, async () => {
    station = await Station.open()
    station.configure({ folder: { part_size_bytes: 64 * MIB } })

    const measured = await uploadSparseFile(station, gigabytes * 1_000_000_000)

    // The event loop's delay is told and not judged: on a slow, busy PC it says more of the PC.
    console.log(JSON.stringify(measured))
    expect(measured.peakRssBytes).toBeLessThan(200 * MIB)
    await station.expectAllSafe()
  }, 3_600_000)
