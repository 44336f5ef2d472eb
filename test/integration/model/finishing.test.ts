import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileInspection } from '../../../main/agent/ports/files.ts'
import { rowOf } from '../../../main/agent/status/recording-rows.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { wordOf } from '../../../shared/words/words.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`
const STEP_MS = 250

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 10 }],
  })
})
afterEach(() => model.closeAndExpectNoBugs())

const currentWord = (): string => {
  const view = { service: null, sending: true }
  return wordOf(
    rowOf(model.firstRecording(), model.progress, view, () => undefined),
    model.nowMs,
  )
}

/** The words that the window shows for the file until it has settled, for at most two minutes. */
const wordsUntilSettled = async (): Promise<readonly string[]> => {
  const words: string[] = []
  model.drive.write(FILE, 'a take', 1_000)
  for (let passedMs = 0; passedMs < 120_000; passedMs += STEP_MS) {
    await model.round()
    if (model.firstRecording().state !== 'growing') return words
    words.push(currentWord())
    await model.pass(STEP_MS)
  }
  return words
}

const setInspection = (part: Partial<FileInspection>): void => {
  model.drive.inspection = { ...model.drive.inspection, ...part }
}

test.each(['none', 'unseen'] as const)(
  'the window shows an unchanged file as finishing until it settles (writer: %s)',
  async (writer) => {
    setInspection({ writer, sample: 'same' })
    const words = await wordsUntilSettled()
    expect(model.firstRecording().state).not.toBe('growing')
    expect(words).toContain('Finishing, 6 s')
    const laterWords = words.slice(words.findIndex((word) => word.startsWith('Finishing')))
    for (const word of laterWords) expect(word).toMatch(/^Finishing, \d+ s$/)
    // The file changed a moment ago, so at first Sluice cannot know whether a program still writes it.
    expect(words.length - laterWords.length).toBeLessThanOrEqual(2_000 / STEP_MS)
    expect(model.progress.settlingIds).toEqual([])
  },
)

test('a file that its recorder has open is shown as recording, even if it stays unchanged', async () => {
  setInspection({ writer: 'open' })
  const words = await wordsUntilSettled()
  // Sluice looks for a writer only after the settle time, so earlier words may differ.
  for (const word of words.slice(12_000 / STEP_MS)) expect(word).toBe('Recording')
})

test('the window shows that a file is cut off, and when Sluice uploads it', async () => {
  setInspection({ format: 'mcap', complete: 'no' })
  const words = await wordsUntilSettled()
  expect(words.at(-1)).toMatch(/^Cut off, uploads in \d+ s$/)
})
