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
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const word = (): string => {
  const view = { service: null, sending: true }
  return wordOf(
    rowOf(model.single(), model.progress, view, () => undefined),
    model.nowMs,
  )
}

/** The words of the file until it has settled, or for two minutes. */
const wordsUntilSettled = async (): Promise<readonly string[]> => {
  const words: string[] = []
  model.drive.write(FILE, 'a take', 1_000)
  for (let passedMs = 0; passedMs < 120_000; passedMs += STEP_MS) {
    await model.round()
    if (model.single().state !== 'growing') return words
    words.push(word())
    await model.pass(STEP_MS)
  }
  return words
}

const inspected = (part: Partial<FileInspection>): void => {
  model.drive.inspection = { ...model.drive.inspection, ...part }
}

test.each(['none', 'unseen'] as const)(
  'a file that nobody writes (writer: %s) is finishing until it settles, and never recording again',
  async (writer) => {
    inspected({ writer, sample: 'same' })
    const words = await wordsUntilSettled()
    expect(model.single().state).not.toBe('growing')
    expect(words).toContain('Finishing, 6 s')
    const later = words.slice(words.findIndex((one) => one.startsWith('Finishing')))
    for (const one of later) expect(one).toMatch(/^Finishing, \d+ s$/)
    // It changed a moment ago, so at first nobody can know.
    expect(words.length - later.length).toBeLessThanOrEqual(2_000 / STEP_MS)
    expect(model.progress.settlingIds).toEqual([])
  },
)

test('a file that its recorder has open is recording, however long it stays unchanged', async () => {
  inspected({ writer: 'open' })
  const words = await wordsUntilSettled()
  // The settler looks for a writer only after the file has been unchanged for the settle time.
  for (const one of words.slice(12_000 / STEP_MS)) expect(one).toBe('Recording')
})

test('the window shows that a file is cut off, and when Sluice uploads it', async () => {
  inspected({ format: 'mcap', complete: 'no' })
  const words = await wordsUntilSettled()
  expect(words.at(-1)).toMatch(/^Cut off, uploads in \d+ s$/)
})
