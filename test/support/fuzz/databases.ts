import fc from 'fast-check'
import { MAX_READ_BYTES } from '../../../shared/formats/bounded-reader.ts'
import { findEnd, inspect } from '../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf, storedFile } from '../formats/recorded-files.ts'
import type { FuzzTarget } from './fuzz-target.ts'

const databases = ['bag_0.db3', 'cameras_0.db3'].map(storedFile)

type Forgery = {
  readonly file: number
  readonly changes: readonly { readonly page: number; readonly at: number; readonly value: number }[]
}

/** Random changes, often to the head of a page, because it decides which bytes an inspection reads next. */
const forgery = fc.record({
  file: fc.nat({ max: databases.length - 1 }),
  changes: fc.array(
    fc.record({
      page: fc.nat({ max: 63 }),
      at: fc.oneof(fc.nat({ max: 24 }), fc.nat({ max: 1023 })),
      value: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 2, 5, 10, 13, 0x7f, 0x80, 0xff)),
    }),
    { minLength: 1, maxLength: 12 },
  ),
})

/** Ends an endless walk over the pages: each page takes at least 1 ms of the simulated clock. */
const MAX_PAGES = 2_000

export const bagDatabases = (runs: number): FuzzTarget<Forgery> => ({
  name: 'recordings: pages of a rosbag2 database',
  runs,
  inputs: forgery,
  check: async ({ file, changes }) => {
    const { name, bytes } = databases[file]!
    const forged = Buffer.from(bytes)
    const pageBytes = bytes.readUInt16BE(16)
    for (const { page, at, value } of changes)
      forged[(page * pageBytes + (at % pageBytes)) % forged.length] = value
    const source = sourceOf({ name, bytes: forged })
    await findEnd(source, limitsByClockReads(MAX_PAGES))
    const { channels, warnings } = await inspect(source, limitsByClockReads(MAX_PAGES))
    if (warnings.some(({ code }) => code === 'took-too-long')) throw new Error('the inspection did not end')
    if (source.counts.largest > MAX_READ_BYTES) throw new Error('one read was too large')
    for (const { messages, rateHz, largestGapS } of channels)
      if (![messages, rateHz, largestGapS].every((value) => value === null || Number.isFinite(value)))
        throw new Error('a figure is not a number')
  },
})
