import { type FileHandle, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BlockWriter } from '../../../../server/storage/block-writer.ts'
import { linux, needs } from '../../../support/needs.ts'
import { runs } from '../../../support/runs.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sandbox-blocks-'))
})
afterEach(() => rm(folder, { recursive: true }))

const writeChunks = async (
  chunks: readonly Buffer[],
  change = (_file: FileHandle) => {},
): Promise<string> => {
  const name = path.join(folder, 'part')
  const file = await open(name, 'w')
  change(file)
  let onSpace = () => {}
  const writer = new BlockWriter(file, () => onSpace())
  for (const chunk of chunks) {
    writer.add(Buffer.from(new Uint8Array(chunk).buffer))
    if (writer.isFull)
      await new Promise<void>((done) => {
        onSpace = done
      })
  }
  await writer.end()
  await file.close()
  return name
}

/** The writer's blocks have 1 MiB, so some chunks are larger than a block. */
const anyChunk = fc
  .tuple(fc.integer({ min: 1, max: 1_500_000 }), fc.constantFrom('zeros', 'bytes', 'one byte at the end'))
  .map(([size, kind]) => {
    const bytes = Buffer.alloc(size, kind === 'bytes' ? 7 : 0)
    if (kind === 'one byte at the end') bytes[size - 1] = 1
    return bytes
  })

test('writes every byte, even if the drive takes only a few bytes at a time', async () => {
  const chunk = Buffer.alloc(1_000, 7)
  const name = await writeChunks([chunk], (file) => {
    const write = file.write.bind(file) as (...args: unknown[]) => Promise<unknown>
    const few = (bytes: Uint8Array, from: number, count: number, to: number) =>
      write(bytes, from, Math.min(count, 300), to)
    Object.assign(file, {
      write: few,
      writev: ([first]: Uint8Array[], to: number) => few(first!, 0, first!.length, to),
    })
  })
  expect((await readFile(name)).equals(chunk)).toBe(true)
})

test('writes exactly the bytes that were sent, including zeros', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyChunk, { maxLength: 8 }), async (chunks) => {
      const expectedBytes = Buffer.concat(chunks)
      expect((await readFile(await writeChunks(chunks))).equals(expectedBytes)).toBe(true)
    }),
    { numRuns: runs(40) },
  ))

test('a part fails if one sync fails, because the system reports a lost write only once', async () => {
  const file = await open(path.join(folder, 'part'), 'w')
  const sync = file.datasync.bind(file)
  let syncs = 0
  file.datasync = async () => {
    syncs += 1
    if (syncs === 1) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    return sync()
  }
  const writer = new BlockWriter(file, () => {})
  for (let block = 0; block < 5; block += 1) writer.add(Buffer.alloc(1 << 20, 7))
  await expect(writer.end()).rejects.toThrow('EIO')
  expect(syncs).toBe(1)
  await file.close()
})

test('zeros take no disk space', needs(linux), async () => {
  const chunks = Array.from({ length: 512 }, () => Buffer.alloc(65_536))
  const { size, blocks } = await stat(await writeChunks(chunks))
  expect(size).toBe(512 * 65_536)
  expect(blocks).toBe(0)
})
