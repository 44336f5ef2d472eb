import type { BoundedReader } from './bounded-reader.ts'
import type { Findings } from './findings.ts'

/** A recording may have long pauses, so Sluice reads many short pieces, spread over the whole recording. */
const PIECES = 16
const PIECE_BYTES = 16_384
/** Four steps of a 16-bit sample, a peak of about -84 dB. A connected microphone is always louder. */
const MAX_SILENT_RANGE = 4 / 32_768

type Sound = {
  /** The format tag: 1 for integers, 3 for floating-point numbers. */
  readonly tag: number
  readonly channels: number
  readonly bits: number
  readonly frameBytes: number
  readonly start: number
  readonly bytes: number
}

/**
 * Returns a function that reads one sample and scales it: the loudest possible sound has a range of 2. Null for a
 * format that Sluice does not check.
 */
const sampleReader = ({ tag, bits }: Sound): ((bytes: Buffer, at: number) => number) | null => {
  if (tag === 3 && bits === 32) return (bytes, at) => bytes.readFloatLE(at)
  if (tag !== 1) return null
  // Samples of 8 bits are unsigned. Their offset does not change the range.
  if (bits === 8) return (bytes, at) => bytes[at]! / 128
  return [16, 24, 32].includes(bits) ? (bytes, at) => bytes.readIntLE(at, bits / 8) / 2 ** (bits - 1) : null
}

/** Finds out which channels of a PCM recording are silent. */
export async function checkSound(reader: BoundedReader, findings: Findings, sound: Sound): Promise<void> {
  const { channels, frameBytes, bits } = sound
  const read = sampleReader(sound)
  const frames = Math.floor(sound.bytes / Math.max(1, frameBytes))
  if (read === null || frameBytes !== (channels * bits) / 8 || frameBytes > PIECE_BYTES || frames < 2) return
  const framesPerPiece = Math.min(frames, Math.floor(PIECE_BYTES / frameBytes))
  const lowest = new Float64Array(channels).fill(Number.POSITIVE_INFINITY)
  const highest = new Float64Array(channels).fill(Number.NEGATIVE_INFINITY)
  for (let piece = 0; piece < PIECES; piece += 1) {
    const firstFrame = Math.floor(((frames - framesPerPiece) * piece) / (PIECES - 1))
    const bytes = await reader.readExactly(sound.start + firstFrame * frameBytes, framesPerPiece * frameBytes)
    for (let at = 0; at < bytes.length; at += frameBytes)
      for (let channel = 0; channel < channels; channel += 1) {
        const sample = read(bytes, at + (channel * bits) / 8)
        if (sample < lowest[channel]!) lowest[channel] = sample
        if (sample > highest[channel]!) highest[channel] = sample
      }
    // In a short recording, the first piece is already the whole recording.
    if (framesPerPiece === frames) break
  }
  for (let channel = 0; channel < channels; channel += 1)
    findings.channel(channel).signal =
      highest[channel]! - lowest[channel]! <= MAX_SILENT_RANGE ? 'silent' : 'varies'
}
