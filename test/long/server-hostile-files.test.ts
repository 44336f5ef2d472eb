import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import {
  hdf5OfLongNames,
  mcapOfLongNames,
  parquetOfRepeatedSchemas,
  parquetWithLongGroup,
} from '../support/formats/hostile-files.ts'

const inspectorUrl = new URL('../../server/processing/inspector.ts', import.meta.url).href

type Answer = {
  readonly growthMb: number
  readonly channels: number
  readonly longestName: number
  readonly completeness: string
  readonly warnings: readonly { readonly code: string; readonly detail: string }[]
}

/**
 * Runs the inspector in a process of its own, which a failed allocation would end. `growthMb` is the memory that the
 * inspector's child process needed.
 */
const program = `
import { existsSync, readFileSync } from 'node:fs'
import { Inspector } from ${JSON.stringify(inspectorUrl)}
const pieces = []
for await (const piece of process.stdin) pieces.push(piece)
const content = Buffer.concat(pieces)
const inspector = new Inspector()
const fileOf = (bytes) => ({ name: 'run', size: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) })
const inspect = (bytes) => inspector.inspect(fileOf(bytes), 60_000, new AbortController().signal)
await inspect(Buffer.from('PAR1'))
const status = () => '/proc/' + inspector.pid + '/status'
const peakMb = () => existsSync(status()) ? Number(/VmHWM: *\\t*(.*) kB/.exec(readFileSync(status(), 'utf8'))[1]) / 1024 : 0
const before = peakMb()
const { channels, completeness, warnings } = await inspect(content)
const growthMb = peakMb() - before
const longestName = Math.max(0, ...channels.map(({ name }) => name.length))
process.stdout.write(JSON.stringify({ growthMb, channels: channels.length, longestName, completeness, warnings }))
await inspector.close()
`

async function inspectInProcess(content: Buffer): Promise<Answer> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(content)
  const [code, signal] = await once(child, 'close')
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  const answer = JSON.parse(output) as Answer
  expect(answer.growthMb).toBeLessThan(maxGrowthMb)
  return answer
}

const MB = 1 << 20
/**
 * Garbage alone may take 70 MB. The limit applies only on Linux, because only Linux shows the peak memory of a process.
 */
const maxGrowthMb = 160

test('long names in the compressed chunks of a small MCAP file take little memory', async () => {
  const answer = await inspectInProcess(mcapOfLongNames(300, MB))
  expect(answer).toMatchObject({ channels: 300, longestName: 301, completeness: 'cut-off' })
})

test('a Parquet group with a long name does not end the server', async () => {
  const answer = await inspectInProcess(parquetWithLongGroup(2_000, 12 * MB))
  expect(answer).toMatchObject({ channels: 1_000, longestName: 301, completeness: 'complete' })
})

test('a Parquet footer that repeats its columns does not end the server', async () => {
  const answer = await inspectInProcess(parquetOfRepeatedSchemas(300, 20_000))
  expect(answer).toMatchObject({ channels: 0, completeness: 'unknown', warnings: [{ code: 'damaged' }] })
})

test('a Parquet file with too many columns is not reported as complete', async () => {
  const answer = await inspectInProcess(parquetWithLongGroup(30_000, 10))
  expect(answer).toMatchObject({
    channels: 0,
    completeness: 'unknown',
    warnings: [{ code: 'chunk-too-large' }],
  })
})

test('members of an HDF5 group that share one long name take little memory', async () => {
  const answer = await inspectInProcess(hdf5OfLongNames(1_000, 3 * MB))
  expect(answer).toMatchObject({ channels: 1_000, longestName: 301, completeness: 'complete' })
})
