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
import { digest, identityAt, never, patterned, temporaryFolder } from './platform-support.ts'

const MIB = 1024 * 1024
const PART = 2 * MIB

/** One pair of threads serves all tests. The id distinguishes the recordings. */
const running: RunningHashes = createRunningHashes()
afterAll(() => running.close())
let lastId = 0

const scene = (bytes: number) => {
  const id = ++lastId
  onTestFinished(() => running.forget(id))
  const path = join(temporaryFolder(), 'take.bin')
  writeFileSync(path, patterned(bytes))
  const advance = async (toBytes: number) =>
    running.advance({
      id,
      path,
      identity: await identityAt(path),
      partSizeBytes: PART,
      toBytes,
      signal: never,
    })
  const finish = async (from = path) =>
    running.finish({
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
  it('has the digests of the finished file, whatever ranges were hashed', async () => {
    const { path, advance, finish } = scene(3 * MIB)
    expect(await advance(2 * MIB + 17)).toEqual({ ok: true, value: { kind: 'advanced', bytes: 2 * MIB } })
    appendFileSync(path, patterned(4 * MIB + 4711, 2))
    expect(await advance(6 * MIB)).toEqual({ ok: true, value: { kind: 'advanced', bytes: 6 * MIB } })
    appendFileSync(path, patterned(MIB, 3))
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('works for a file shorter than its first part, if nothing was overwritten', async () => {
    const { path, advance, finish } = scene(3 * MIB)
    await advance(MIB)
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
    const other = scene(3 * MIB)
    await other.advance(MIB)
    writeAt(other.path, MIB - 1, Buffer.of(0))
    expect(await other.finish()).toEqual({ ok: true, value: null })
  })

  it('continues after the file is renamed', async () => {
    const { path, advance, finish } = scene(5 * MIB)
    await advance(4 * MIB)
    renameSync(path, `${path}.done`)
    expect(await finish(`${path}.done`)).toEqual({ ok: true, value: digestsOf(`${path}.done`) })
  })

  it.each<[string, (path: string) => void]>([
    ['filled in its first bytes', (path) => writeAt(path, 4, Buffer.from('size'))],
    ['changed one byte at the end of the first part', (path) => writeAt(path, PART - 1, Buffer.of(0))],
    ['overwrote its middle', (path) => writeAt(path, 4 * MIB, patterned(4 * MIB, 9))],
    [
      'overwrote its middle and set its time back',
      (path) => {
        const { atime, mtime } = statSync(path)
        writeAt(path, 4 * MIB, patterned(4 * MIB, 9))
        utimesSync(path, atime, mtime)
      },
    ],
    ['truncated it', (path) => truncateSync(path, 5 * MIB)],
    [
      'truncated it and continued',
      (path) => {
        truncateSync(path, 3 * MIB)
        appendFileSync(path, patterned(8 * MIB, 9))
      },
    ],
    [
      'replaced it',
      (path) => {
        writeFileSync(`${path}.new`, patterned(12 * MIB, 9))
        renameSync(`${path}.new`, path)
      },
    ],
  ])('is discarded once the recorder %s', async (_what, rewrite) => {
    const { path, advance, finish } = scene(11 * MIB)
    expect(await advance(10 * MIB)).toMatchObject({ ok: true, value: { kind: 'advanced' } })
    rewrite(path)
    expect(await finish()).toEqual({ ok: true, value: null })
  })

  it('detects zeros that were filled in later, as in a preallocated file', async () => {
    const { path, advance, finish } = scene(0)
    truncateSync(path, 12 * MIB)
    await advance(10 * MIB)
    writeAt(path, 0, patterned(12 * MIB))
    expect(await finish()).toEqual({ ok: true, value: null })
  })

  it('is discarded, with the reason, when the first bytes change while the file grows', async () => {
    const { id, path, advance } = scene(5 * MIB)
    await advance(4 * MIB)
    appendFileSync(path, patterned(3 * MIB, 2))
    writeAt(path, 4, Buffer.from('size'))
    expect(await advance(7 * MIB)).toEqual({ ok: true, value: { kind: 'lost', rewritten: true } })
    expect(running.ids()).not.toContain(id)
  })

  it('starts over for a file whose size or time went back', async () => {
    const { id, path, advance, finish } = scene(5 * MIB)
    await advance(4 * MIB)
    truncateSync(path, 3 * MIB)
    expect(await advance(4 * MIB)).toEqual({ ok: true, value: { kind: 'lost', rewritten: false } })
    appendFileSync(path, patterned(4 * MIB, 2))
    await advance(6 * MIB)
    expect(running.bytesOf(id)).toBe(6 * MIB)
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('keeps its state while the file is missing for a moment', async () => {
    const { path, advance, finish } = scene(5 * MIB)
    await advance(3 * MIB)
    const identity = await identityAt(path)
    const gone = {
      id: lastId,
      path: `${path}.away`,
      identity,
      partSizeBytes: PART,
      toBytes: 4 * MIB,
      signal: never,
    }
    expect(await running.advance(gone)).toEqual({ ok: false, failure: { kind: 'file-vanished' } })
    expect(await advance(4 * MIB)).toEqual({ ok: true, value: { kind: 'advanced', bytes: 4 * MIB } })
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('refuses the digests of a file that grows while its end is read', async () => {
    const { id, path, advance } = scene(5 * MIB)
    await advance(4 * MIB)
    const identity = await identityAt(path)
    appendFileSync(path, 'more')
    const request = { id, path, identity, partSizeBytes: PART, onProgress: () => {}, signal: never }
    expect(await running.finish(request)).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
  })

  it('starts over after a restart, and after a change of the part size', async () => {
    const { id, path, advance, finish } = scene(5 * MIB)
    await advance(4 * MIB)
    const identity = await identityAt(path)
    const request = { id, path, identity, partSizeBytes: 3 * MIB, onProgress: () => {}, signal: never }
    expect(await running.finish(request)).toEqual({ ok: true, value: null })
    expect(await scene(5 * MIB).finish()).toEqual({ ok: true, value: null })
    expect(await finish()).toEqual({ ok: true, value: digestsOf(path) })
  })

  it('returns the digests of the final content or none, whatever changes the files', async () => {
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), bytes: fc.nat(3 * MIB) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('advance' as const), bytes: fc.nat(MIB) }) },
      fc.record({ kind: fc.constant('head' as const), bytes: fc.nat(PART - 8) }),
      fc.record({ kind: fc.constant('cut' as const), bytes: fc.nat(6 * MIB) }),
      fc.record({ kind: fc.constant('replace' as const), bytes: fc.nat(6 * MIB) }),
      fc.record({ kind: fc.constant('hole' as const), bytes: fc.nat(3 * MIB) }),
    )
    const story = fc.array(fc.record({ file: fc.nat(3), act }), { minLength: 6, maxLength: 24 })
    let held = 0
    await fc.assert(
      fc.asyncProperty(story, async (steps) => {
        const folder = temporaryFolder()
        const first = lastId + 1
        lastId += 4
        const paths = [0, 1, 2, 3].map((n) => join(folder, `${n}.bin`))
        paths.forEach((path, n) => {
          writeFileSync(path, patterned(3 * MIB, n + 1))
        })
        for (const [at, { file, act }] of steps.entries()) {
          const path = paths[file]!
          const size = statSync(path).size
          switch (act.kind) {
            case 'append':
              appendFileSync(path, patterned(act.bytes, at + 10))
              break
            case 'advance':
              await running.advance({
                id: first + file,
                path,
                identity: await identityAt(path),
                partSizeBytes: PART,
                toBytes: size - act.bytes,
                signal: never,
              })
              break
            case 'head':
              writeAt(path, act.bytes, Buffer.from(`step ${at}`))
              break
            case 'cut':
              truncateSync(path, Math.min(size, act.bytes))
              break
            case 'replace':
              writeFileSync(`${path}.new`, patterned(act.bytes, at + 50))
              renameSync(`${path}.new`, path)
              break
            case 'hole':
              truncateSync(path, size + act.bytes)
          }
        }
        for (const [file, path] of paths.entries()) {
          const outcome = await running.finish({
            id: first + file,
            path,
            identity: await identityAt(path),
            partSizeBytes: PART,
            onProgress: () => {},
            signal: never,
          })
          if (!outcome.ok) throw new Error(outcome.failure.kind)
          if (outcome.value !== null) held += 1
          if (outcome.value !== null) expect(outcome.value).toEqual(digestsOf(path))
          running.forget(first + file)
        }
      }),
      { numRuns: runs(12) },
    )
    expect(held).toBeGreaterThan(0)
  })
})
