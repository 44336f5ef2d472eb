import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRunningHashes } from '../../main/agent/platform/hashing/running-hashes.ts'
import type { RunningHashes } from '../../main/agent/ports/hashing.ts'
import { runs } from '../support/runs.ts'
import { createPattern, digest, identityAt, never, temporaryFolder } from './platform-support.ts'

const MIB = 1024 * 1024
const PART = 2 * MIB

const hashes: RunningHashes = createRunningHashes()
afterAll(() => hashes.close())
let lastId = 0

const prepareFile = (bytes: number) => {
  const id = ++lastId
  onTestFinished(() => hashes.forget(id))
  const path = join(temporaryFolder(), 'take.bin')
  writeFileSync(path, createPattern(bytes))
  const advance = async (toBytes: number) =>
    hashes.advance({
      id,
      path,
      identity: await identityAt(path),
      partSizeBytes: PART,
      toBytes,
      signal: never,
    })
  const finish = async (from = path) =>
    hashes.finish({
      id,
      path: from,
      identity: await identityAt(from),
      partSizeBytes: PART,
      onProgress: () => {},
      signal: never,
    })
  return { id, path, advance, finish }
}

const writeAt = (path: string, position: number, bytes: Uint8Array): void => {
  const fd = openSync(path, 'r+')
  writeSync(fd, bytes, 0, bytes.length, position)
  closeSync(fd)
}

/** The digests of one full read. */
const digestsOf = (path: string) => {
  const content = readFileSync(path)
  const parts = Array.from({ length: Math.ceil(content.length / PART) }, (_, at) =>
    digest(content.subarray(at * PART, (at + 1) * PART)),
  )
  return { sha256: digest(content), partSha256: parts }
}

describe('a hash of a growing file', () => {
  it('gives the digests of the finished file, whatever ranges Sluice hashed before', async () => {
    const { path, advance, finish } = prepareFile(3 * MIB)
    expect(await advance(2 * MIB + 17)).toEqual({ ok: true, value: { kind: 'advanced', bytes: 2 * MIB } })
    appendFileSync(path, createPattern(4 * MIB + 4711, 2))
    expect(await advance(6 * MIB)).toEqual({ ok: true, value: { kind: 'advanced', bytes: 6 * MIB } })
    appendFileSync(path, createPattern(MIB, 3))
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('continues from the middle of the first part, unless the recorder overwrote hashed bytes', async () => {
    const { path, advance, finish } = prepareFile(3 * MIB)
    await advance(MIB)
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
    const other = prepareFile(3 * MIB)
    await other.advance(MIB)
    writeAt(other.path, MIB - 1, Buffer.of(0))
    expect(await other.finish()).toEqual({ ok: true, value: null })
  })

  it('continues after the file is renamed', async () => {
    const { path, advance, finish } = prepareFile(5 * MIB)
    await advance(4 * MIB)
    renameSync(path, `${path}.done`)
    expect(await finish(`${path}.done`)).toEqual({ ok: true, value: digestsOf(`${path}.done`) })
  })

  it.each<[string, (path: string) => void]>([
    ['filled in the first bytes of the file', (path) => writeAt(path, 4, Buffer.from('size'))],
    ['changed one byte at the end of the first part', (path) => writeAt(path, PART - 1, Buffer.of(0))],
    ['overwrote the middle of the file', (path) => writeAt(path, 4 * MIB, createPattern(4 * MIB, 9))],
    [
      'overwrote the middle of the file and set its mtime back',
      (path) => {
        const { atime, mtime } = statSync(path)
        writeAt(path, 4 * MIB, createPattern(4 * MIB, 9))
        utimesSync(path, atime, mtime)
      },
    ],
    ['truncated the file', (path) => truncateSync(path, 5 * MIB)],
    [
      'truncated the file and continued',
      (path) => {
        truncateSync(path, 3 * MIB)
        appendFileSync(path, createPattern(8 * MIB, 9))
      },
    ],
    [
      'cut off the last hashed byte and continued',
      (path) => {
        truncateSync(path, 10 * MIB - 1)
        appendFileSync(path, createPattern(3 * MIB, 9))
      },
    ],
    [
      'replaced the file',
      (path) => {
        writeFileSync(`${path}.new`, createPattern(12 * MIB, 9))
        renameSync(`${path}.new`, path)
      },
    ],
  ])('is discarded after the recorder %s', async (_what, rewrite) => {
    const { path, advance, finish } = prepareFile(11 * MIB)
    expect(await advance(10 * MIB)).toMatchObject({ ok: true, value: { kind: 'advanced' } })
    rewrite(path)
    expect(await finish()).toEqual({ ok: true, value: null })
  })

  it('is discarded if the recorder writes over hashed zeros, as in a preallocated file', async () => {
    const { path, advance, finish } = prepareFile(0)
    truncateSync(path, 12 * MIB)
    await advance(10 * MIB)
    writeAt(path, 0, createPattern(12 * MIB))
    expect(await finish()).toEqual({ ok: true, value: null })
  })

  it('is discarded and reported as rewritten if the first bytes change while the file grows', async () => {
    const { id, path, advance } = prepareFile(5 * MIB)
    await advance(4 * MIB)
    appendFileSync(path, createPattern(3 * MIB, 2))
    writeAt(path, 4, Buffer.from('size'))
    expect(await advance(7 * MIB)).toEqual({ ok: true, value: { kind: 'lost', rewritten: true } })
    expect(hashes.ids()).not.toContain(id)
  })

  it('starts over for a file that became shorter', async () => {
    const { id, path, advance, finish } = prepareFile(5 * MIB)
    await advance(4 * MIB)
    truncateSync(path, 3 * MIB)
    expect(await advance(4 * MIB)).toEqual({ ok: true, value: { kind: 'lost', rewritten: false } })
    appendFileSync(path, createPattern(4 * MIB, 2))
    await advance(6 * MIB)
    expect(hashes.bytesOf(id)).toBe(6 * MIB)
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('keeps its state while the file is missing for a moment', async () => {
    const { path, advance, finish } = prepareFile(5 * MIB)
    await advance(3 * MIB)
    const identity = await identityAt(path)
    const missingFile = {
      id: lastId,
      path: `${path}.away`,
      identity,
      partSizeBytes: PART,
      toBytes: 4 * MIB,
      signal: never,
    }
    expect(await hashes.advance(missingFile)).toEqual({ ok: false, failure: { kind: 'file-vanished' } })
    expect(await advance(4 * MIB)).toEqual({ ok: true, value: { kind: 'advanced', bytes: 4 * MIB } })
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('gives no digests of a file that has grown since Sluice read its identity', async () => {
    const { id, path, advance } = prepareFile(5 * MIB)
    await advance(4 * MIB)
    const identity = await identityAt(path)
    appendFileSync(path, 'more')
    const request = { id, path, identity, partSizeBytes: PART, onProgress: () => {}, signal: never }
    expect(await hashes.finish(request)).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
  })

  it('gives no digests if Sluice has not hashed any of the file, or if the part size is different', async () => {
    const { id, path, advance, finish } = prepareFile(5 * MIB)
    await advance(4 * MIB)
    const identity = await identityAt(path)
    const request = { id, path, identity, partSizeBytes: 3 * MIB, onProgress: () => {}, signal: never }
    expect(await hashes.finish(request)).toEqual({ ok: true, value: null })
    expect(await prepareFile(5 * MIB).finish()).toEqual({ ok: true, value: null })
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('gives the digests of the final content or none, however the files change', async () => {
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), bytes: fc.nat(3 * MIB) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('advance' as const), bytes: fc.nat(MIB) }) },
      fc.record({ kind: fc.constant('head' as const), bytes: fc.nat(PART - 8) }),
      fc.record({ kind: fc.constant('cut' as const), bytes: fc.nat(6 * MIB) }),
      fc.record({ kind: fc.constant('replace' as const), bytes: fc.nat(6 * MIB) }),
      fc.record({ kind: fc.constant('hole' as const), bytes: fc.nat(3 * MIB) }),
    )
    const story = fc.array(fc.record({ file: fc.nat(3), action }), { minLength: 6, maxLength: 24 })
    let digestCount = 0
    await fc.assert(
      fc.asyncProperty(story, async (steps) => {
        const folder = temporaryFolder()
        const firstId = lastId + 1
        lastId += 4
        const paths = [0, 1, 2, 3].map((n) => join(folder, `${n}.bin`))
        paths.forEach((path, n) => {
          writeFileSync(path, createPattern(3 * MIB, n + 1))
        })
        for (const [at, { file, action }] of steps.entries()) {
          const path = paths[file]!
          const size = statSync(path).size
          switch (action.kind) {
            case 'append':
              appendFileSync(path, createPattern(action.bytes, at + 10))
              break
            case 'advance':
              await hashes.advance({
                id: firstId + file,
                path,
                identity: await identityAt(path),
                partSizeBytes: PART,
                toBytes: size - action.bytes,
                signal: never,
              })
              break
            case 'head':
              writeAt(path, action.bytes, Buffer.from(`step ${at}`))
              break
            case 'cut':
              truncateSync(path, Math.min(size, action.bytes))
              break
            case 'replace':
              writeFileSync(`${path}.new`, createPattern(action.bytes, at + 50))
              renameSync(`${path}.new`, path)
              break
            case 'hole':
              truncateSync(path, size + action.bytes)
          }
        }
        for (const [file, path] of paths.entries()) {
          const outcome = await hashes.finish({
            id: firstId + file,
            path,
            identity: await identityAt(path),
            partSizeBytes: PART,
            onProgress: () => {},
            signal: never,
          })
          if (!outcome.ok) throw new Error(outcome.failure.kind)
          if (outcome.value !== null) digestCount += 1
          if (outcome.value !== null) expect(outcome.value).toEqual(digestsOf(path))
          hashes.forget(firstId + file)
        }
      }),
      { numRuns: runs(12) },
    )
    expect(digestCount).toBeGreaterThan(0)
  })
})
