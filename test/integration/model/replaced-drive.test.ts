import { afterEach, beforeEach, expect, test } from 'vitest'
import { contentOf } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const OURS = { device: '7', inode: '2:5', drive: 'uuid:ours' }
/** Cards that are plugged in one after another may get the same device number. */
const NOT_OURS = { device: '7', inode: '2:6', drive: 'uuid:not-ours' }
const EMPTY_MOUNT_POINT = { device: '1', inode: '12:1' }
const NAMES = ['a.bin', 'b.bin', 'c.bin', 'd.bin', 'e.bin', 'f.bin']

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
  model.drive.plug(OURS)
})
afterEach(() => model.closeAndExpectNoBugs())

const writeFiles = (owner: string) => {
  for (const name of NAMES) model.drive.write(`${FOLDER}/${name}`, `${name} of ${owner}`, 300_000_000)
}
const states = () => new Set(model.recordings().map(({ state }) => state))
const problems = () => model.recordings().flatMap(({ problem }) => problem?.code ?? [])
const sentContents = () =>
  [...model.service.sessions.values()].map(({ request }) => contentOf(request.sha256)).sort()
const ourContents = NAMES.map((name) => `${name} of us`)

/** Lets minutes pass in steps of 5 s, so that Sluice retries recordings and new files settle. */
const passMinutes = async (minutes: number) => {
  for (let n = 0; n < minutes * 12; n += 1) {
    await model.round()
    await model.pass(5_000)
  }
}

/** Simulates a network outage for calls of this kind. An outage is a condition, so no recording gets a problem. */
const simulateOutage = (call: 'create' | 'part') => {
  const origin = call === 'part' ? 'storage' : 'control'
  model.service.fate = (name) =>
    name === call
      ? { kind: 'refused', failure: { kind: 'network', origin, connected: false, detail: 'refused' } }
      : { kind: 'answered' }
}

test.each([
  ['growing', 'create'],
  ['queued', 'create'],
  ['ready', 'create'],
  ['uploading', 'part'],
] as const)('uploads nothing from a different drive for recordings that are %s', async (state, call) => {
  simulateOutage(call)
  writeFiles('us')
  expect(await model.until(() => states().has(state))).toBe(true)
  expect(states()).not.toContain('processed')

  model.drive.plug(EMPTY_MOUNT_POINT)
  await passMinutes(5)
  model.service.fate = () => ({ kind: 'answered' })
  await passMinutes(5)
  expect(model.watcher.state.state).toBe('replaced')
  expect(problems()).toEqual([])

  model.drive.plug(NOT_OURS)
  writeFiles('others')
  model.restart()
  await passMinutes(10)
  expect(model.watcher.state.state).toBe('replaced')
  expect(sentContents().filter((content) => !ourContents.includes(content))).toEqual([])
  expect(states()).not.toContain('processed')
  expect(problems()).toEqual([])

  model.drive.plug(OURS)
  expect(await model.until(() => model.areAllProcessed(NAMES.length))).toBe(true)
  expect(sentContents()).toEqual(ourContents)
  expect(problems()).toEqual([])
})
