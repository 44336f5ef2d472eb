import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRecording } from '../../main/agent/platform/files/recording-file.ts'
import { FileChangedError, FileUnreadableError, type OpenRecording } from '../../main/agent/ports/files.ts'
import { linux, needs } from '../support/needs.ts'
import { createPattern, createSparseFile, digest, identityAt, temporaryFolder } from './platform-support.ts'

const content = createPattern(5 * 1024 * 1024 + 123)

const openForTest = async (path: string): Promise<OpenRecording> => {
  const outcome = await openRecording(path)
  if (!outcome.ok) throw new Error(outcome.failure.kind)
  onTestFinished(() => outcome.value.close())
  return outcome.value
}

const prepare = async () => {
  const path = join(temporaryFolder(), 'a.wav')
  writeFileSync(path, content)
  const recording = await openForTest(path)
  const identity = await identityAt(path)
  return {
    path,
    recording,
    identity,
    wholeRange: { start: 0, length: content.length, identity },
  }
}

/** Reads everything and calls `afterFirst` after the first chunk. Keeps the bytes even if the read fails. */
const consume = async (chunks: AsyncIterable<Uint8Array>, afterFirst = () => {}) => {
  const chunksRead: Uint8Array[] = []
  try {
    for await (const chunk of chunks) if (chunksRead.push(Buffer.from(chunk)) === 1) afterFirst()
    return { bytes: Buffer.concat(chunksRead), error: null }
  } catch (error) {
    return { bytes: Buffer.concat(chunksRead), error }
  }
}

describe('reading a part of a recording', () => {
  it.each([
    ['all of it', 0, content.length],
    ['from the middle', 1_000_001, 3_000_007],
    ['one byte', 77, 1],
    ['exactly two chunks', 0, 1024 * 1024],
    ['up to the end', content.length - 10, 10],
    ['nothing', 5, 0],
  ])('returns exactly the requested bytes: %s', async (_what, start, length) => {
    const { recording, identity } = await prepare()
    const expected = content.subarray(start, start + length)
    const { bytes, error } = await consume(recording.read({ start, length, identity }))
    expect(error).toBeNull()
    expect(bytes.equals(expected)).toBe(true)
  })

  it('keeps the current and the previous chunk unchanged while it reads the next one', async () => {
    const { recording, wholeRange } = await prepare()
    const seenChunks: { chunk: Uint8Array; digest: string }[] = []
    for await (const chunk of recording.read(wholeRange)) {
      seenChunks.push({ chunk, digest: digest(chunk) })
      for (const seen of seenChunks.slice(-2)) expect(digest(seen.chunk)).toBe(seen.digest)
    }
  })

  it('serves parallel parts from one handle', async () => {
    const { recording, identity } = await prepare()
    const parts = [0, 1, 2, 3, 4].map((at) => content.subarray(at * 1_000_000, (at + 1) * 1_000_000))
    const results = await Promise.all(
      parts.map((_part, at) =>
        consume(recording.read({ start: at * 1_000_000, length: 1_000_000, identity })),
      ),
    )
    expect(results.map(({ bytes }) => digest(bytes))).toEqual(parts.map((part) => digest(part)))
  })

  it.each<[string, (path: string) => void]>([
    [
      'replaced',
      (path) => {
        writeFileSync(`${path}.new`, content)
        renameSync(`${path}.new`, path)
      },
    ],
    ['appended to', (path) => appendFileSync(path, 'more')],
    ['truncated', (path) => truncateSync(path, 3_000_000)],
    ['written again with the same bytes', (path) => writeFileSync(path, content)],
  ])('fails to read a part of a file that is %s during the read', async (_what, change) => {
    const { path, recording, wholeRange } = await prepare()
    const { bytes, error } = await consume(recording.read(wholeRange), () => change(path))
    expect(error).toBeInstanceOf(FileChangedError)
    expect(bytes.length).toBeLessThan(content.length)
  })

  it('throttles every byte before the network sends it', async () => {
    const { recording, wholeRange } = await prepare()
    let grantedBytes = 0
    let receivedBytes = 0
    const throttle = async (bytes: number) => {
      grantedBytes += bytes
    }
    for await (const chunk of recording.read({ ...wholeRange, throttle })) {
      receivedBytes += chunk.length
      expect(grantedBytes).toBe(receivedBytes)
    }
    expect(receivedBytes).toBe(content.length)
  })

  it('fails if the recording is closed during the read', async () => {
    const { recording, wholeRange } = await prepare()
    for await (const _chunk of recording.read(wholeRange)) break
    const iterator = recording.read(wholeRange)[Symbol.asyncIterator]()
    await iterator.next()
    await recording.close()
    await expect(
      (async () => {
        while (!(await iterator.next()).done);
      })(),
    ).rejects.toThrow()
    await recording.close()
  })

  it('reports a read error of the system', needs(linux), async () => {
    // The first page of a process's memory never exists, so reading it gives an I/O error.
    const recording = await openForTest('/proc/self/mem')
    const range = { start: 0, length: 10, identity: await recording.identify() }
    const { error } = await consume(recording.read(range))
    expect(error).toBeInstanceOf(FileUnreadableError)
    expect(error).toMatchObject({ message: 'the disk reported a read error (EIO)' })
  })

  it('reads the end of a sparse file of 2 TB', async () => {
    const path = join(temporaryFolder(), 'huge.wav')
    const sizeBytes = 2_000_000_000_000
    createSparseFile(path, sizeBytes)
    appendFileSync(path, 'end')
    const recording = await openForTest(path)
    const identity = await recording.identify()
    expect(identity.sizeBytes).toBe(sizeBytes + 3)
    const expected = Buffer.concat([Buffer.alloc(2_000_000), Buffer.from('end')])
    const range = { start: sizeBytes - 2_000_000, length: 2_000_003, identity }
    expect((await consume(recording.read(range))).bytes.equals(expected)).toBe(true)
  })
})
