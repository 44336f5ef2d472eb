import { expect, test } from 'vitest'
import { FrameReader, frameOf } from '../../../../main/endpoint/frames.ts'

test('a frame of 2 MiB that arrives byte by byte takes less than 64 MiB of the heap', () => {
  const message = 'x'.repeat(2 * 1024 * 1024)
  const frame = frameOf(message)
  const reader = new FrameReader(4 * 1024 * 1024)
  const before = process.memoryUsage()
  // Pushes each byte in its own buffer, like a very slow socket.
  for (const byte of frame.subarray(0, -1)) {
    reader.push(Buffer.from([byte]))
    reader.next()
  }
  const after = process.memoryUsage()
  expect(after.heapUsed - before.heapUsed).toBeLessThan(64 * 1024 * 1024)
  reader.push(frame.subarray(-1))
  expect(reader.next()).toEqual({ message })
})

test('the reader finds every frame, whatever the size of the pieces that arrive', () => {
  const messages = [{ n: 1 }, 'two', { three: 'ü'.repeat(50) }, null]
  const bytes = Buffer.concat(messages.map(frameOf))
  for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
    const reader = new FrameReader(1_000)
    const received: unknown[] = []
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size))
      for (let next = reader.next(); next !== undefined; next = reader.next()) received.push(next.message)
    }
    expect(received).toEqual(messages)
  }
})
