import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unpackLz4Frame } from '../../../../shared/formats/lz4-frame.ts'
import { lz4 } from '../../../contract/compressions.ts'

/** The input from which the `lz4` program made the frames beside this file. */
const text = Array.from({ length: 26_000 }, (_, n) => `row ${n % 97};`).join('')

function frame(name: string): Buffer {
  return readFileSync(new URL(`lz4/${name}.lz4`, import.meta.url))
}

const frames = ['linked-blocks', 'independent-blocks', 'no-checksum']

test.each(frames)('a frame of the lz4 program: %s', (name) => {
  expect(Buffer.from(unpackLz4Frame(frame(name), text.length)).toString()).toBe(text)
})

test('joins consecutive frames', () => {
  const twice = Buffer.concat([frame('linked-blocks'), frame('no-checksum')])
  expect(Buffer.from(unpackLz4Frame(twice, 2 * text.length)).toString()).toBe(text + text)
})

test.each(frames)('refuses a size that differs from the announced one: %s', (name) => {
  expect(() => unpackLz4Frame(frame(name), text.length - 1)).toThrow()
  expect(() => unpackLz4Frame(frame(name), text.length + 1)).toThrow(/instead of/)
})

test('unpacking returns the packed bytes', () => {
  const content = fc.array(fc.constantFrom('a', 'bc', 'row ', '\0', 'long repetition '), { maxLength: 2_000 })
  fc.assert(
    fc.property(content, (words) => {
      const bytes = Buffer.from(words.join(''))
      expect(Buffer.from(unpackLz4Frame(lz4(bytes).compressedData, bytes.length))).toEqual(bytes)
    }),
  )
})

test('refuses damaged frames, and never reads or writes past their ends', () => {
  const whole = frame('linked-blocks')
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, cut) => {
      const damaged = Buffer.from(whole)
      damaged[at] = byte
      let unpacked: Uint8Array | null = null
      try {
        unpacked = unpackLz4Frame(damaged.subarray(0, cut), text.length)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
      if (unpacked !== null) expect(unpacked.length).toBe(text.length)
    }),
    { numRuns: 500 },
  )
})
