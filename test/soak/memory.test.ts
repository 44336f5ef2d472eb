import { afterEach, expect, test } from 'vitest'
import { MIB, Station } from '../support/station.ts'
import { uploadSparseFile } from '../support/upload-memory.ts'

let station: Station
afterEach(() => station.close())

for (const gigabytes of [2, 20])
  test(`hashes and uploads ${gigabytes} GB in less than 200 MiB of memory`, async () => {
    station = await Station.open()
    station.configure({ folder: { part_size_bytes: 64 * MIB } })

    const peakRssBytes = await uploadSparseFile(station, gigabytes * 1_000_000_000)

    expect(peakRssBytes).toBeGreaterThan(0)
    expect(peakRssBytes).toBeLessThan(200 * MIB)
    // The service has already verified the content. For 20 GB, a second check would exceed the timeout.
    if (gigabytes < 10) await station.expectAllSafe()
    else expect((await station.status()).recordings.map(({ state }) => state)).toEqual(['processed'])
  }, 3_600_000)
