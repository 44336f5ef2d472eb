import { type Inspection, nothingFound } from './findings.ts'
import type { Recording } from './recording.ts'

/** Reads the headers of the RIFF chunks, never the samples. */
export async function inspectWav(recording: Recording): Promise<Inspection> {
  const head = await recording.read(0, 12)
  const kind = head.toString('latin1', 0, 4)
  if ((kind !== 'RIFF' && kind !== 'RF64') || head.toString('latin1', 8, 12) !== 'WAVE') {
    return unreadable('The file is not a WAV file.')
  }
  let format: { channels: number; bytesPerSecond: number } | null = null
  let longDataBytes: number | null = null
  for (let offset = 12, chunks = 0; offset + 8 <= recording.bytes && chunks < 1_000; chunks += 1) {
    const chunk = await recording.read(offset, 8 + 28)
    const name = chunk.toString('latin1', 0, 4)
    const size = chunk.readUInt32LE(4)
    if (name === 'fmt ' && chunk.length >= 8 + 16) {
      format = { channels: chunk.readUInt16LE(10), bytesPerSecond: chunk.readUInt32LE(16) }
    }
    // RF64: sizes above 4 GB are in a separate chunk.
    if (name === 'ds64' && chunk.length >= 8 + 16) longDataBytes = Number(chunk.readBigUInt64LE(16))
    if (name === 'data') {
      const dataBytes = size === 0xffffffff && longDataBytes !== null ? longDataBytes : size
      return concludeWav(format, dataBytes, recording.bytes - offset - 8)
    }
    offset += 8 + size + (size % 2)
  }
  return unreadable('The file has no samples.')
}

function concludeWav(
  format: { channels: number; bytesPerSecond: number } | null,
  dataBytes: number,
  presentBytes: number,
): Inspection {
  if (format === null || format.channels === 0 || format.channels > 1_024 || format.bytesPerSecond === 0) {
    return unreadable('The file lacks its sample format.')
  }
  if (dataBytes > presentBytes) {
    const detail = `The header promises ${dataBytes} bytes of samples; ${presentBytes} are there.`
    return nothingFound({ code: 'file_truncated', severity: 'error', detail })
  }
  return {
    channels: Array.from({ length: format.channels }, (_, index) => `audio.${index}`),
    startMs: null,
    durationS: dataBytes / format.bytesPerSecond,
    issues: [],
  }
}

function unreadable(detail: string): Inspection {
  return nothingFound({ code: 'file_unreadable', severity: 'error', detail })
}
