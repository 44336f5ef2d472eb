import { expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf } from '../../../support/formats/recorded-files.ts'

const chunk = (name: string, body: Buffer) => {
  const head = Buffer.from(`${name}----`, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const rateHz = 8_000
const blockBytes = 256
const blockSamples = 505

type Parts = { tag?: number; formatBytes?: number; inBlock?: number; fact?: number; blocks?: number }
/** The header states a wrong byte rate, as the headers of some encoders do. */
const waveOf = ({
  tag = 17,
  formatBytes = 20,
  inBlock = blockSamples,
  fact,
  blocks = 160,
}: Parts): Buffer => {
  const format = Buffer.alloc(20)
  for (const [at, value] of [tag, 1].entries()) format.writeUInt16LE(value, 2 * at)
  format.writeUInt32LE(rateHz, 4)
  format.writeUInt32LE(3_000, 8)
  for (const [at, value] of [blockBytes, 4, 2, inBlock].entries()) format.writeUInt16LE(value, 12 + 2 * at)
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('fmt ', format.subarray(0, formatBytes)),
    ...(fact === undefined ? [] : [chunk('fact', u32(fact))]),
    chunk('data', Buffer.alloc(blocks * blockBytes, 7)),
  ])
  return Buffer.concat([Buffer.from('RIFF'), u32(body.length), body])
}
const inspectBytes = (bytes: Buffer) => inspect(sourceOf({ name: 'a.wav', bytes }), limitsByClockReads())
const durationOf = async (bytes: Buffer) => (await inspectBytes(bytes)).durationS

test.each([2, 17])('the duration of ADPCM with tag %i follows from its blocks', async (tag) => {
  const { durationS, completeness, channels } = await inspectBytes(waveOf({ tag }))
  expect({ durationS, completeness }).toEqual({ durationS: 10.1, completeness: 'complete' })
  expect(channels).toMatchObject([{ messages: 160 * blockSamples, rateHz }])
})

test('the duration of ADPCM excludes the unused samples of its last block', async () => {
  expect(await durationOf(waveOf({ fact: 80_160 }))).toBe(10.02)
})

test('the duration of ADPCM follows from the number of samples if the length of a block is unknown', async () => {
  expect(await durationOf(waveOf({ inBlock: 0, fact: 80_160 }))).toBe(10.02)
})

test.each([0, 0xffff_ffff])('a number of samples that is not written yet (%i) is ignored', async (fact) => {
  expect(await durationOf(waveOf({ fact }))).toBe(10.1)
  expect(await durationOf(waveOf({ inBlock: 0, fact }))).toBeNull()
})

test('ADPCM with a PCM header, which is too short, has no duration', async () => {
  expect(await durationOf(waveOf({ formatBytes: 16 }))).toBeNull()
})

test('ADPCM whose header gives no number of samples has no duration', async () => {
  const { durationS, completeness, channels, warnings } = await inspectBytes(waveOf({ inBlock: 0 }))
  expect({ durationS, completeness, warnings }).toEqual({
    durationS: null,
    completeness: 'complete',
    warnings: [],
  })
  expect(channels).toMatchObject([{ name: 'audio.0', messages: null, rateHz }])
})

test('the duration of cut-off ADPCM follows from the blocks that are there', async () => {
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length - 80 * blockBytes)
  expect(await durationOf(half(waveOf({ fact: 80_160 })))).toBe(5.05)
  expect(await durationOf(half(waveOf({ inBlock: 0, fact: 80_160 })))).toBeNull()
})
