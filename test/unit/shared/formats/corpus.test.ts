import { expect, test } from 'vitest'
import { MAX_READ_BYTES } from '../../../../shared/formats/bounded-reader.ts'
import { findEnd, inspect } from '../../../../shared/formats/inspect.ts'
import { completenesses, type Inspection } from '../../../../shared/status/inspection.ts'
import {
  limitsByClockReads,
  type RecordedFile,
  recordedFiles,
  sourceOf,
} from '../../../support/formats/recorded-files.ts'
import { isLong } from '../../../support/runs.ts'

const inputs = isLong ? 100_000 : 3_000

/** The same numbers in every run, so that a failure can be repeated. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const absurd = [0, 1, 0x7f, 0x80, 0xff]

const damages = {
  cut: (bytes: Buffer, random: () => number) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  flip: (bytes: Buffer, random: () => number) => {
    const flipped = Buffer.from(bytes)
    for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) {
      const at = Math.floor(random() * bytes.length)
      flipped[at] = flipped[at]! ^ (1 << Math.floor(random() * 8))
    }
    return flipped
  },
  'absurd length': (bytes: Buffer, random: () => number) => {
    const changed = Buffer.from(bytes)
    const length = 2 ** Math.floor(random() * 4)
    // Most length fields are near the beginning or the end.
    const edge = Math.min(bytes.length, 512)
    const at = Math.floor(random() * edge) + (random() < 0.5 ? 0 : bytes.length - edge)
    changed.fill(absurd[Math.floor(random() * absurd.length)]!, at, Math.min(at + length, bytes.length))
    return changed
  },
} as const

const inspectBoth = async (
  file: RecordedFile,
): Promise<{ found: Inspection; end: string; largest: number }> => {
  const source = sourceOf(file)
  const { end } = await findEnd(source, limitsByClockReads())
  return { found: await inspect(source, limitsByClockReads()), end, largest: source.counts.largest }
}

test.each(Object.keys(damages) as (keyof typeof damages)[])(
  'damaged files never crash an inspection, and cut files never count as complete: %s',
  async (damage) => {
    const random = seeded(28)
    const files = await recordedFiles()
    for (let input = 0; input < inputs / 3; input += 1) {
      const { name, bytes } = files[input % files.length]!
      const damaged = damages[damage](bytes, random)
      const { found, end, largest } = await inspectBoth({ name, bytes: damaged })
      const label = `${name}, ${damage}, input ${input}, ${damaged.length} of ${bytes.length} bytes`
      if (damage === 'cut' && (found.completeness === 'complete' || end === 'marked'))
        expect.fail(`complete although cut: ${label}`)
      if (largest > MAX_READ_BYTES) expect.fail(`read ${largest} bytes at once: ${label}`)
      if (!completenesses.includes(found.completeness)) expect.fail(label)
      if (JSON.stringify(JSON.parse(JSON.stringify(found))) !== JSON.stringify(found)) expect.fail(label)
      for (const channel of found.channels)
        for (const value of [
          channel.messages,
          channel.rateHz,
          channel.largestGapS,
          ...(channel.timeline ?? []),
        ])
          if (value !== null && !Number.isFinite(value)) expect.fail(`not a number: ${label}`)
    }
  },
)
