import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { Journal, Recording } from '../../../../../main/agent/journal/journal.ts'
import type { DecisionContext } from '../../../../../main/agent/stage/apply-decision.ts'
import {
  createClearance,
  holdDeviatingTake,
  releaseInspectedTake,
} from '../../../../../main/agent/stage/held-takes.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

/** A take may have thousands of files. The work for one file must not read or write all of them. */

const FILES = 30
const [folder] = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab', take: 'folder', on_deviation: 'hold' }],
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

let nowMs: number
let temp: TempJournal
let journal: Journal
let context: DecisionContext
let ids: readonly number[]
beforeEach(() => {
  nowMs = 1_000_000
  temp = openTempJournal(() => nowMs)
  journal = temp.journal
  context = {
    journal,
    clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
    random: { fraction: () => 0.5 },
    station: {},
  } as unknown as DecisionContext
  ids = Array.from({ length: FILES }, (_, n) => addImage(n))
})
afterEach(() => temp.close())

const addImage = (n: number): number => {
  const identity = { device: '1', inode: `${n}`, sizeBytes: 5, mtimeNs: '1', ctimeNs: '1' }
  const path = `/rec/run/image_${String(n).padStart(4, '0')}.jpg`
  const { id } = journal.recordings.add({ path, identity }, folder!, { findSessionFirst: false })
  journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged for 10 s' })
  return id
}
const file = (id: number): Recording => journal.recordings.byId(id)!
const inspect = (id: number, deviations: readonly string[] = []) =>
  journal.inspections.save(id, image, deviations)
const heldIds = () => ids.filter((id) => file(id).problem?.code === 'take-held')

test('a take is held with few writes, even if each of its files deviates', () => {
  const hold = vi.spyOn(journal.recordings, 'hold')
  for (const id of ids) {
    inspect(id, ['/wrist is missing.'])
    holdDeviatingTake(context, file(id))
  }
  expect(heldIds()).toEqual(ids)
  expect(hold.mock.calls.length).toBeLessThan(2 * FILES)
})

test('one file that deviates holds all files of its take, after a single search for this file', () => {
  for (const id of ids) inspect(id)
  inspect(ids[7]!, ['/wrist is missing.'])
  const search = vi.spyOn(journal.inspections, 'deviatingWith')
  expect(holdDeviatingTake(context, file(ids[7]!))).toHaveLength(FILES)
  expect(heldIds()).toEqual(ids)
  expect(search).toHaveBeenCalledTimes(1)
  expect(file(ids[0]!).problem?.sentence).toContain('image_0007.jpg is not as expected: /wrist is missing.')
})

test('a file that a user ignores is not held', () => {
  const ignored = { ...problemOf('file-damaged'), endsBy: 'dismissed' } as const
  journal.recordings.patch(ids[0]!, { problem: ignored, nextAttemptAtMs: 8_640_000_000_000_000 })
  inspect(ids[0]!, ['/wrist is missing.'])
  expect(holdDeviatingTake(context, file(ids[0]!))).not.toContain(ids[0])
  expect(file(ids[0]!).problem).toMatchObject({ code: 'file-damaged', endsBy: 'dismissed' })
})

test('the hasher checks only once for each take whether its files may be uploaded', () => {
  for (const id of ids) inspect(id)
  const check = vi.spyOn(journal.inspections, 'clearanceOf')
  const isCleared = createClearance(context)
  expect(ids.filter((id) => !isCleared(file(id)))).toEqual([])
  expect(check).toHaveBeenCalledTimes(1)
})

test('all files of a take wait together until the last inspection of the take is done', () => {
  for (const id of ids.slice(1)) inspect(id)
  expect(createClearance(context)(file(ids[3]!))).toBe(false)
  expect(ids.filter((id) => file(id).nextAttemptAtMs <= nowMs)).toEqual([])
  inspect(ids[0]!)
  releaseInspectedTake(journal, file(ids[0]!))
  expect(ids.filter((id) => file(id).nextAttemptAtMs > 0)).toEqual([])
  expect(createClearance(context)(file(ids[3]!))).toBe(true)
})

test('while one file of the take is not yet inspected, each other inspection reads few rows', () => {
  const search = vi.spyOn(journal.inspections, 'deviatingWith')
  for (const id of ids.slice(1)) {
    inspect(id)
    releaseInspectedTake(journal, file(id))
  }
  expect(search).not.toHaveBeenCalled()
})

test('after their wait, files are held again for the current reason', () => {
  for (const id of ids) inspect(id)
  inspect(ids[7]!, ['/wrist is missing.'])
  holdDeviatingTake(context, file(ids[7]!))
  nowMs += 3_700_000
  inspect(ids[7]!, ['/imu is missing.'])
  expect(createClearance(context)(file(ids[0]!))).toBe(false)
  expect(ids.filter((id) => file(id).nextAttemptAtMs <= nowMs)).toEqual([])
  expect(file(ids[20]!).problem?.sentence).toContain('/imu is missing.')
})

test('Sluice postpones a very large take in several steps, and each step continues after the previous one', () => {
  ids = [...ids, ...journal.transaction(() => Array.from({ length: 1_000 }, (_, n) => addImage(FILES + n)))]
  const dueIds = () => ids.filter((id) => file(id).nextAttemptAtMs <= nowMs)
  for (const expected of [ids.length - 1_000, 0]) {
    const [first] = dueIds()
    expect(createClearance(context)(file(first!))).toBe(false)
    expect(dueIds()).toHaveLength(expected)
  }
  inspect(ids[0]!, ['/wrist is missing.'])
  expect(holdDeviatingTake(context, file(ids[0]!))).toHaveLength(1_000)
  for (const id of ids.slice(1)) inspect(id)
  holdDeviatingTake(context, file(ids.at(-1)!))
  nowMs += 120_000
  const rest = ids.filter((id) => file(id).problem === null)
  if (rest[0] !== undefined) createClearance(context)(file(rest[0]))
  expect(heldIds()).toHaveLength(ids.length)
})
