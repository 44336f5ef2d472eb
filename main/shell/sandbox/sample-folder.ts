import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SAMPLE_RATE = 8_000

/** One second of silence. */
const makeWav = (): Buffer => {
  const dataBytes = SAMPLE_RATE * 2
  const file = Buffer.alloc(44 + dataBytes)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + dataBytes, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(SAMPLE_RATE, 24)
  file.writeUInt32LE(SAMPLE_RATE * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(dataBytes, 40)
  return file
}

const makeCsv = (startMs: number, rowCount: number): string =>
  [
    'time,grip_force',
    ...Array.from({ length: rowCount }, (_, row) => `${startMs / 1000 + row / 10},${row % 20}`),
  ].join('\n')

const makeSamples = (nowMs: number): Readonly<Record<string, Buffer | string>> => ({
  'grip-001.csv': makeCsv(nowMs - 120_000, 600),
  'grip-002.csv': makeCsv(nowMs - 60_000, 300),
  'room-tone-001.wav': makeWav(),
})

/** Creates a folder with small recordings for the try-out, and returns its path. Existing files stay as they are. */
export const makeSampleFolder = (parent: string, nowMs: number): string => {
  const folder = path.join(parent, 'Sluice sample recordings')
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(makeSamples(nowMs)))
    try {
      writeFileSync(path.join(folder, name), content, { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  return folder
}
