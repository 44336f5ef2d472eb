import { afterEach, expect, test } from 'vitest'
import { sharePasses } from '../../../main/agent/platform/files/shared-pass.ts'
import type { Files } from '../../../main/agent/ports/files.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The system is so busy that a pass over all processes takes this long. */
const PASS_MS = 6_000
const SIZE = 10_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const openFiles = new Set<string>()

/** In this station, each pass lists the open files when it starts, and returns this list when it ends. */
const startBusyStation = (): { readonly passes: () => number; readonly startPass: () => void } => {
  model = new ModelStation()
  let running: { readonly endsAtMs: number; readonly end: () => void } | null = null
  let passes = 0
  const listOpen = sharePasses({ monotonicMs: () => model.nowMs }, () => {
    passes += 1
    const found = new Set(openFiles)
    return new Promise<ReadonlySet<string>>((resolve) => {
      running = { endsAtMs: model.nowMs + PASS_MS, end: () => resolve(found) }
    })
  })
  const { pass } = model
  const { inspect } = model.drive.files
  Object.assign(model, {
    pass: async (ms: number) => {
      await pass.call(model, ms)
      if (running !== null && model.nowMs >= running.endsAtMs) running.end()
      await pass.call(model, 0)
    },
  })
  Object.assign(model.drive.files, {
    inspect: async (path: string, check?: Parameters<Files['inspect']>[1]) => {
      const inspection = await inspect(path)
      const since = typeof check === 'object' ? check.unchangedSinceMs : undefined
      const writer = (await listOpen(since)).has(path) ? 'open' : 'none'
      return inspection.ok ? { ...inspection, value: { ...inspection.value, writer } } : inspection
    },
  })
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 3 }],
  })
  model.restart()
  return { passes: () => passes, startPass: () => void listOpen() }
}

const passSeconds = async (count: number): Promise<void> => {
  for (let second = 0; second < count; second += 1) {
    model.hint()
    await model.round()
    await model.pass(1_000)
  }
}

test('sees that a pausing recorder has its file open, even if a slow pass began earlier', async () => {
  const { startPass } = startBusyStation()
  startPass()
  await passSeconds(2)
  const file = `${FOLDER}/take.bin`
  openFiles.add(file)
  model.drive.write(file, 'the first half', SIZE)
  await passSeconds(25)
  expect(model.recordingAt(file).state).toBe('growing')
  openFiles.delete(file)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
})

test('one slow pass answers for all files that no program was writing at its start', async () => {
  const { passes } = startBusyStation()
  for (let file = 0; file < 100; file += 1) model.drive.write(`${FOLDER}/take-${file}.bin`, `${file}`, SIZE)
  await passSeconds(20)
  expect(model.recordings().filter(({ state }) => state === 'growing')).toEqual([])
  expect(passes()).toBeLessThanOrEqual(2)
})
