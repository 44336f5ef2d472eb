import { expect, test } from 'vitest'
import { readAhead } from '../../../../server/processing/read-ahead.ts'

const content = Uint8Array.from({ length: 8 << 20 }, (_, at) => (at * 7) >> 3)

const open = () => {
  const reads: { readonly offset: number; readonly length: number }[] = []
  const read = readAhead(async (offset, length) => {
    reads.push({ offset, length })
    return content.slice(offset, offset + length)
  }, content.length)
  return { reads, read }
}

const expected = (offset: number, length: number) => content.slice(offset, offset + length)

test('returns the requested bytes at any position and length', async () => {
  const { read } = open()
  let seed = 1
  const next = (limit: number) => {
    seed = (seed * 48_271) % 0x7fffffff
    return seed % limit
  }
  let at = 0
  for (let n = 0; n < 500; n += 1) {
    at = n % 5 === 0 ? next(content.length + 10) : at + next(3_000)
    const length = n % 50 === 0 ? next(3 << 20) : next(5_000)
    expect(Buffer.compare(await read(at, length), expected(at, length))).toBe(0)
  }
})

test('reads a file from start to end in few reads', async () => {
  const { reads, read } = open()
  for (let at = 0; at < content.length; at += 4_096) await read(at, 4_096)
  expect(reads.length).toBeLessThan(20)
})

test('reads small parts of a file with short gaps between them in few reads', async () => {
  const { reads, read } = open()
  for (let at = 0; at < content.length; at += 40_000) await read(at, 4_096)
  expect(reads.length).toBeLessThan(20)
})

test('reads only what is needed at positions far apart', async () => {
  const { reads, read } = open()
  for (let at = 0; at < content.length; at += 1 << 20) await read(at, 4_096)
  for (let at = content.length; at > 0; at -= 1 << 20) await read(at - 4_096, 4_096)
  expect(reads.every(({ length }) => length === 4_096)).toBe(true)
})

test('never reads beyond the end', async () => {
  const { reads, read } = open()
  await read(content.length - 9_000, 4_096)
  await read(content.length - 4_904, 4_096)
  await read(content.length - 10, 4_096)
  expect(reads.every(({ offset, length }) => offset + length <= content.length)).toBe(true)
})
