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

const inputCount = isLong ? 100_000 : 3_000

/** Returns the same numbers in every run, so that a failure can be repeated. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const absurdBytes = [0, 1, 0x7f, 0x80, 0xff]

const damageKinds = {
  cut: (bytes: Buffer, random: () => number) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  flip: (bytes: Buffer, random: () => number) => {
    const flipped = Buffer.from(bytes)
    for (let remainingFlips = 1 + Math.floor(random() * 4); remainingFlips > 0; remainingFlips -= 1) {
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
    changed.fill(
      absurdBytes[Math.floor(random() * absurdBytes.length)]!,
      at,
      Math.min(at + length, bytes.length),
    )
    return changed
  },
} as const

const MAX_MEMORY_BYTES = 64 << 20

/** This memory grows sharply if an inspection trusts a forged length. */
const memoryBytes = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const inspectBoth = async (
  file: RecordedFile,
): Promise<{ inspection: Inspection; end: string; largestReadBytes: number }> => {
  const source = sourceOf(file)
  const { end } = await findEnd(source, limitsByClockReads())
  return {
    inspection: await inspect(source, limitsByClockReads()),
    end,
    largestReadBytes: source.counts.largest,
  }
}

test.each(Object.keys(damageKinds) as (keyof typeof damageKinds)[])(
  'damaged files never crash an inspection or use much memory, and cut files never count as complete: %s',
  async (damage) => {
    const random = seeded(28)
    const files = await recordedFiles()
    for (let input = 0; input < inputCount / 3; input += 1) {
      const { name, bytes } = files[input % files.length]!
      const damagedBytes = damageKinds[damage](bytes, random)
      const bytesBefore = memoryBytes()
      const { inspection, end, largestReadBytes } = await inspectBoth({ name, bytes: damagedBytes })
      const allocatedBytes = memoryBytes() - bytesBefore
      const label = `${name}, ${damage}, input ${input}, ${damagedBytes.length} of ${bytes.length} bytes`
      if (damage === 'cut' && (inspection.completeness === 'complete' || end === 'marked'))
        expect.fail(`complete although cut: ${label}`)
      if (largestReadBytes > MAX_READ_BYTES)
        expect.fail(`read ${largestReadBytes} bytes in one call: ${label}`)
      if (allocatedBytes > MAX_MEMORY_BYTES) expect.fail(`took ${allocatedBytes} bytes of memory: ${label}`)
      if (!completenesses.includes(inspection.completeness)) expect.fail(label)
      if (JSON.stringify(JSON.parse(JSON.stringify(inspection))) !== JSON.stringify(inspection))
        expect.fail(label)
      for (const channel of inspection.channels)
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
