import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { done } from '../../../../../main/agent/domain/failure.ts'
import { Inspector } from '../../../../../main/agent/inspection/inspector.ts'
import type { Journal } from '../../../../../main/agent/journal/journal.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

/**
 * After a start, Sluice checks the image series of each take that is not uploaded yet. These checks delay neither the
 * inspection of new recordings nor the shutdown.
 */

const TAKES = 5
const [folder] = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab', take: 'folder' }],
}).folders
const image: Inspection = {
  format: 'jpeg',
  completeness: 'complete',
  startedAtMs: null,
  endedAtMs: null,
  durationS: null,
  channels: [],
  warnings: [],
}

let temp: TempJournal
let journal: Journal
let inspector: Inspector
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  journal = temp.journal
  for (let take = 1; take <= TAKES; take += 1) journal.inspections.save(addImage(take), image)
  inspector = new Inspector({
    journal,
    clock: { wallMs: () => 1_000_000, monotonicMs: () => 1_000_000 },
    folderOf: () => folder,
    inspection: { inspect: async () => done(image), close: async () => {} },
  } as unknown as ConstructorParameters<typeof Inspector>[0])
})
afterEach(() => temp.close())

const addImage = (take: number): number => {
  const identity = { device: '1', inode: `${take}`, sizeBytes: 5, mtimeNs: '1', ctimeNs: '1' }
  const path = `/rec/run_${take}/image_1.jpg`
  const { id } = journal.recordings.add({ path, identity }, folder!, { findSessionFirst: false })
  journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged for 10 s' })
  return id
}
/** Calls `act` during the check of the first take. Returns a function that returns the number of checked takes. */
const actDuringCheck = (act: () => void) => {
  const imagesIn = journal.inspections.imagesIn.bind(journal.inspections)
  const spy = vi.spyOn(journal.inspections, 'imagesIn').mockImplementation((...args) => {
    if (spy.mock.calls.length === 1) act()
    return imagesIn(...args)
  })
  return () => spy.mock.calls.length
}

test('a recording that becomes due during the checks is inspected before the next take is checked', async () => {
  let id = 0
  const checked = actDuringCheck(() => {
    id = addImage(TAKES + 1)
  })
  const { signal } = new AbortController()
  expect(await inspector.step(signal)).toBe(0)
  expect(checked()).toBe(1)
  expect(await inspector.step(signal)).toBeGreaterThan(0)
  expect(journal.inspections.of(id)).not.toBeNull()
  expect(checked()).toBe(TAKES + 1)
})

test('the checks end when Sluice closes', async () => {
  const controller = new AbortController()
  const checked = actDuringCheck(() => controller.abort())
  await inspector.step(controller.signal)
  expect(checked()).toBe(1)
})
