import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unpackLz4Frame } from '../../../../shared/formats/lz4-frame.ts'
import { lz4 } from '../../../contract/compressions.ts'

/** The `lz4` program made the frames in the folder `lz4` from this text. */
const text = Array.from({ length: 26_000 }, (_, n) => `row ${n % 97};`).join('')

function readFrame(name: string): Buffer {
  return readFileSync(new URL(`lz4/${name}.lz4`, import.meta.url))
}

const frames = ['linked-blocks', 'independent-blocks', 'no-checksum']

test.each(frames)('unpacks a frame that the lz4 program wrote: %s', (name) => {
  expect(Buffer.from(unpackLz4Frame(readFrame(name), text.length)).toString()).toBe(text)
})

test('joins consecutive frames', () => {
  const twoFrames = Buffer.concat([readFrame('linked-blocks'), readFrame('no-checksum')])
  expect(Buffer.from(unpackLz4Frame(twoFrames, 2 * text.length)).toString()).toBe(text + text)
})

test.each(frames)('refuses a frame that unpacks to a different size than expected: %s', (name) => {
  expect(() => unpackLz4Frame(readFrame(name), text.length - 1)).toThrow()
  expect(() => unpackLz4Frame(readFrame(name), text.length + 1)).toThrow(/instead of/)
})

test('unpacks exactly the bytes that were packed', () => {
  const content = fc.array(fc.constantFrom('a', 'bc', 'row ', '\0', 'long repetition '), { maxLength: 2_000 })
  fc.assert(
    fc.property(content, (words) => {
      const bytes = Buffer.from(words.join(''))
      expect(Buffer.from(unpackLz4Frame(lz4(bytes).compressedData, bytes.length))).toEqual(bytes)
    }),
  )
})

test('refuses a damaged frame, or returns the expected number of bytes', () => {
  const validFrame = readFrame('linked-blocks')
  fc.assert(
    fc.property(
      fc.nat(validFrame.length - 1),
      fc.nat(255),
      fc.nat(validFrame.length),
      (damagedIndex, byte, endIndex) => {
        const damaged = Buffer.from(validFrame)
        damaged[damagedIndex] = byte
        let unpacked: Uint8Array | null = null
        try {
          unpacked = unpackLz4Frame(damaged.subarray(0, endIndex), text.length)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
        if (unpacked !== null) expect(unpacked.length).toBe(text.length)
      },
    ),
    { numRuns: 500 },
  )
})
