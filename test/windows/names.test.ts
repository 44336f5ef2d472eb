import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { mcapFile, wavFile } from '../contract/sample-files.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { Station, until } from '../support/station.ts'

/** Wine may need minutes on a busy computer. */
const WAIT_MS = 300_000

let station: Station
afterEach(() => station.close())

/** Names that some Windows programs misread. Node can write all of them, although old Windows rules forbid some. */
const hardNames = [
  'Prüfstand Größe.mcap',
  '录音 テスト 🎙.mcap',
  'e\u0301 in two characters.mcap',
  '\u00e9 in one character.mcap',
  'aux.mcap',
  'con .wav',
  'COM1',
  'a dot at the end.',
  'a space at the end ',
  '[a] {b} (c) !.mcap',
  '100% %TEMP% & more ^ $HOME #;,=.mcap',
  `${'long'.repeat(60)}.mcap`,
]

const content = (name: string, index: number): Promise<Buffer> | Buffer => {
  if (name.endsWith('.mcap')) return mcapFile({ seconds: index + 1 })
  return name.endsWith('.wav') ? wavFile(1, 1) : Buffer.from(`recording ${index}`)
}

const openIn = async (name: string): Promise<void> => {
  const root = mkdtempSync(path.join(tmpdir(), name))
  expect(root).toMatch(/^[A-Z]:\\/)
  station = new Station(root, await SandboxProcess.start(path.join(root, 'service')))
}

const expectProcessed = async (folder: string, names: readonly string[]): Promise<void> => {
  for (const [index, name] of names.entries())
    writeFileSync(path.join(folder, name), await content(name, index))
  expect(readdirSync(folder).sort()).toEqual(names.toSorted())

  const agent = station.agent()
  const expected = names.toSorted().map((name) => [name, 'processed'])
  const states = async () => {
    const { recordings } = await station.status()
    return recordings.map(({ path: at, state }) => [path.basename(at), state]).sort()
  }
  await agent.waitForChange('the first recording is processed', ({ state }) => state === 'processed', WAIT_MS)
  const areProcessed = async () => JSON.stringify(await states()) === JSON.stringify(expected)
  // After a timeout, the comparison below shows which name was misread.
  await until('all recordings are processed', areProcessed, WAIT_MS).catch(() => {})
  await agent.kill()

  expect(await states()).toEqual(expected)
  await station.expectAllSafe()
  expect((await station.sessions()).map(({ filename }) => filename).sort()).toEqual(names.toSorted())
}

test('processes twelve files with difficult names and keeps each name, on a drive with a letter', async () => {
  await openIn('Größe & Co [1] %TEMP% ')
  await expectProcessed(station.recordings, hardNames)
})

test('processes files whose path is longer than the old limit of Windows', async () => {
  await openIn('long-')
  const deep = path.join(
    station.recordings,
    ...Array.from({ length: 6 }, (_, level) => `${level}`.repeat(60)),
  )
  mkdirSync(deep, { recursive: true })
  expect(deep.length).toBeGreaterThan(300)
  await expectProcessed(deep, ['take.mcap', `${'long'.repeat(60)}.mcap`, 'aux.mcap'])
})

test.each(['a folder with a space at its end ', 'a folder with a dot at its end.'])(
  'processes files in %j',
  async (name) => {
    await openIn('odd-')
    const odd = path.join(station.recordings, name)
    mkdirSync(odd)
    await expectProcessed(odd, ['take.mcap', 'con.wav'])
  },
)
