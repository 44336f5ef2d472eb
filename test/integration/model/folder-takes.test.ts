import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemOf } from '../../../main/agent/domain/problems.ts'
import { FinishedTakes } from '../../../main/agent/flow/settle/finished-takes.ts'
import { rowOf } from '../../../main/agent/status/recording-rows.ts'
import { takeDetailOf } from '../../../main/agent/status/take-rows.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import type { FileCall } from '../../support/model/files.ts'
import { FOLDER } from '../../support/model/station.ts'
import { BAG, METADATA, TakeStation } from '../../support/model/take-station.ts'

/** With `take: folder`, all files in a direct subfolder of the watched folder, at any depth, are one take. */

const SIZE = 10_000
const DAY_MS = 86_400_000

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const states = () => Object.fromEntries(model.recordings().map(({ name, state }) => [name, state]))

test('no file of a take is uploaded before all its files are finished', async () => {
  model.write('run/a.bin')
  for (let minute = 0; minute < 6; minute += 1) {
    model.write('run/b.bin', `minute ${minute}`)
    await model.passSeconds(5)
  }
  expect(states()).toEqual({ 'a.bin': 'growing', 'b.bin': 'growing' })
  expect(model.service.sessions.size).toBe(0)
  expect(await model.areProcessed()).toBe(true)
  expect(model.service.sessions.size).toBe(2)
})

test('other takes and files outside all takes do not wait for an unfinished take', async () => {
  model.write('run/a.bin')
  model.write('other/c.bin')
  model.write('lone.bin')
  for (let second = 0; second < 40; second += 1) {
    model.write('run/b.bin', `second ${second}`)
    await model.passSeconds(1)
  }
  expect(states()).toMatchObject({ 'a.bin': 'growing', 'b.bin': 'growing' })
  expect(model.at('other/c.bin').state).not.toBe('growing')
  expect(model.at('lone.bin')).toMatchObject({ take: null })
  expect(model.at('lone.bin').state).not.toBe('growing')
})

test('a rosbag2 folder is finished when `metadata.yaml` and all listed files are there', async () => {
  model.write('bag/bag_0.mcap')
  await model.passSeconds(60)
  expect(states()).toEqual({ 'bag_0.mcap': 'growing' })
  model.write('bag/metadata.yaml', METADATA)
  await model.passSeconds(60)
  expect(states()).toEqual({ 'bag_0.mcap': 'growing', 'metadata.yaml': 'growing' })
  model.write('bag/bag_1.mcap')
  expect(await model.areProcessed()).toBe(true)
  expect(model.at('bag/bag_0.mcap').take).toBe(BAG)
})

test('a rosbag2 folder is finished even if `metadata.yaml` lists a file under an escaped name', async () => {
  model.write('Küche/Küche_0.mcap')
  model.write(
    'Küche/metadata.yaml',
    METADATA.replace('bag_0.mcap', '"K\\xFCche_0.mcap"').replace(/ +- bag_1.*\n/, ''),
  )
  expect(await model.areProcessed()).toBe(true)
  const reasons = model
    .recordings()
    .flatMap(({ id }) => model.journal.views.timeline(id).map(({ reason }) => reason))
  expect(reasons.filter((reason) => reason.endsWith('uploaded as is'))).toEqual([])
})

test('Sluice reports a rosbag2 folder without `metadata.yaml` as cut off at its last file, and uploads it late', async () => {
  for (const name of ['bag_9.mcap', 'bag_10.mcap', 'calibration.json']) model.write(`bag/${name}`)
  await model.passSeconds(40)
  expect(Object.values(states())).toEqual(['growing', 'growing', 'growing'])
  const problems = () =>
    model.recordings().flatMap(({ name, problem }) => problem && [[name, problem.sentence]])
  expect(problems()).toContainEqual(['bag_10.mcap', 'The file is cut off: the recorder probably crashed.'])
  expect(problems().filter((each) => each !== null)).toHaveLength(1)
  expect(await model.areProcessed()).toBe(true)
  const settledReason = (name: string) =>
    model.journal.views.timeline(model.at(name).id).find(({ from }) => from === 'growing')?.reason
  expect(settledReason('bag/bag_10.mcap')).toBe('incomplete; uploaded as is')
  expect(settledReason('bag/bag_9.mcap')).toBe('metadata.yaml is missing; uploaded as is')
  await model.until(() => model.journal.inspections.nextDue() === null)
  const completeness = (name: string) => model.journal.inspections.of(model.at(name).id)?.completeness
  expect(completeness('bag/bag_10.mcap')).toBe('cut-off')
  expect(completeness('bag/bag_9.mcap')).not.toBe('cut-off')
})

test('the report about a crash ends when the recorder writes the next file', async () => {
  model.write('bag/bag_0.mcap')
  await model.passSeconds(40)
  expect(model.at('bag/bag_0.mcap').problem).toMatchObject({ code: 'file-damaged' })
  model.write('bag/bag_1.mcap')
  await model.passSeconds(5)
  expect(model.recordings().map(({ problem }) => problem)).toEqual([null, null])
  model.write('bag/metadata.yaml', METADATA)
  expect(await model.areProcessed()).toBe(true)
  const reasons = model
    .recordings()
    .flatMap(({ id }) => model.journal.views.timeline(id).map(({ reason }) => reason))
  expect(reasons.filter((reason) => reason.endsWith('uploaded as is'))).toEqual([])
})

/** Marks the file `name` as vanished at the next `call` for the file `during`. */
const vanishDuring = (call: FileCall, during: string, name: string) => {
  let isDone = false
  model.drive.fate = (current, path) => {
    if (isDone || current !== call || !path.endsWith(during)) return null
    isDone = true
    const note = { reason: 'gone', patch: { problem: problemOf('file-vanished') } }
    model.journal.recordings.transition(model.at(name).id, 'growing', { kind: 'vanished' }, note)
    return null
  }
  return () => isDone
}

test('a file stays reported as vanished if it vanishes just as the report about the crash ends', async () => {
  model.write('bag/bag_0.mcap')
  await model.passSeconds(40)
  expect(model.at('bag/bag_0.mcap').problem).toMatchObject({ code: 'file-damaged' })
  model.write('lone.bin')
  await model.passSeconds(9)
  model.write('bag/bag_1.mcap')
  await model.pass(2_000)
  const hasVanished = vanishDuring('identify', 'lone.bin', 'bag/bag_0.mcap')
  await model.round()
  expect(hasVanished()).toBe(true)
  expect(model.at('bag/bag_0.mcap')).toMatchObject({ state: 'gone', problem: { code: 'file-vanished' } })
})

test('a file stays reported as vanished if it vanishes while Sluice checks it', async () => {
  model.drive.inspection = { format: 'mcap', complete: 'no', writer: 'none', sample: '' }
  model.write('lone.mcap')
  expect(await model.until(() => model.recordings()[0]?.problem?.code === 'file-damaged')).toBe(true)
  model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
  const hasVanished = vanishDuring('inspect', 'lone.mcap', 'lone.mcap')
  for (let second = 0; second < 60 && !hasVanished(); second += 1) await model.passSeconds(1)
  expect(hasVanished()).toBe(true)
  expect(model.at('lone.mcap')).toMatchObject({ state: 'gone', problem: { code: 'file-vanished' } })
})

test('the notes of each session name the take and all its files', async () => {
  model.configure({ notes: 'night shift' })
  await model.recordBag()
  for (const name of ['bag/bag_0.mcap', 'bag/bag_1.mcap', 'bag/metadata.yaml']) {
    const [text, line] = model.at(name).notes?.split('\n\n') ?? []
    expect(text).toBe('night shift')
    expect(JSON.parse(line ?? '')).toEqual({
      take: { name: 'bag', files: 3, members: ['bag_0.mcap', 'bag_1.mcap', 'metadata.yaml'] },
    })
  }
})

test('an empty file does not hold back its take', async () => {
  model.write('run/a.bin')
  model.drive.write(`${FOLDER}/run/empty.bin`, '', 0)
  expect(await model.until(() => model.at('run/a.bin').state === 'processed')).toBe(true)
  expect(model.at('run/empty.bin')).toMatchObject({ state: 'growing', problem: { code: 'empty-file' } })
})

test('a file that is added to a finished take is uploaded, and no file is sent twice', async () => {
  await model.recordBag()
  const sessions = [...model.service.sessions.keys()]
  model.write('bag/calibration.json')
  expect(await model.until(() => model.recordings().length === 4)).toBe(true)
  expect(model.journal.views.timeline(model.at('bag/calibration.json').id)).toMatchObject([
    { to: 'growing', reason: 'file added or changed after its take was finished' },
  ])
  expect(await model.areProcessed()).toBe(true)
  expect([...model.service.sessions.keys()].slice(0, 3)).toEqual(sessions)
  expect(model.service.sessions.size).toBe(4)
  expect(model.at('bag/calibration.json').notes).toContain('"files":4')
})

test('a file that changes after its take was uploaded is uploaded again, and the rest of the take is not', async () => {
  await model.recordBag()
  model.write('bag/bag_1.mcap', 'new content')
  expect(await model.until(() => model.at('bag/bag_1.mcap').state === 'growing')).toBe(true)
  expect(await model.areProcessed()).toBe(true)
  expect(model.service.sessions.size).toBe(4)
})

test('a file that vanishes before its upload needs attention, and the rest of its take is uploaded', async () => {
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  await model.passSeconds(3)
  model.drive.remove(`${BAG}/bag_1.mcap`)
  model.hint()
  model.write('bag/metadata.yaml', METADATA.replace('    - bag_1.mcap\n', ''))
  expect(await model.until(() => model.at('bag/bag_0.mcap').state === 'processed')).toBe(true)
  expect(model.at('bag/bag_1.mcap')).toMatchObject({ state: 'gone', problem: { code: 'file-vanished' } })
})

test('no file of a take is deleted before all its files are safe', async () => {
  model.configure({ after_upload: { action: 'delete', days: 0 } })
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  model.write('bag/metadata.yaml', METADATA)
  model.write('bag/late.json')
  model.drive.fate = (call, path) =>
    call === 'hash' && path.endsWith('late.json')
      ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' }
      : null
  await model.until(() => false, 60)
  expect(model.names()).toHaveLength(4)
  expect(states()).toMatchObject({ 'bag_0.mcap': 'processed', 'bag_1.mcap': 'processed' })
  model.drive.fate = () => null
  expect(await model.until(() => model.names().length === 0)).toBe(true)
})

test('all files of a take are deleted at the same time, once the last one has been kept long enough', async () => {
  await model.recordBag()
  await model.pass(20 * DAY_MS)
  model.write('bag/late.json')
  expect(await model.areProcessed()).toBe(true)
  model.configure({ after_upload: { action: 'delete', days: 30 } })
  await model.pass(15 * DAY_MS)
  await model.until(() => false, 3)
  expect(model.names()).toHaveLength(4)
  await model.pass(20 * DAY_MS)
  expect(await model.until(() => model.names().length === 0)).toBe(true)
})

test('if the service has lost one session of a take, Sluice deletes no file of the take', async () => {
  await model.recordBag()
  const lost = model.at('bag/metadata.yaml').sessionId ?? ''
  model.service.sessions.delete(lost)
  model.configure({ after_upload: { action: 'delete', days: 0 } })
  await model.until(() => model.names().length < 3, 30)
  expect(model.names()).toHaveLength(3)
  expect(model.at('bag/metadata.yaml').state).toBe('failed')
})

test('after kill -9 at many moments, the take is uploaded once, and deleted as a whole', async () => {
  model.configure({ after_upload: { action: 'delete', days: 0 } })
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  model.write('bag/metadata.yaml', METADATA)
  for (let kill = 0; kill < 25; kill += 1) {
    await model.round()
    await model.pass(kill * 1_000)
    model.restart()
  }
  expect(await model.until(() => model.names().length === 0)).toBe(true)
  expect(model.service.sessions.size).toBe(3)
})

test('with `take: split`, files that differ only in a number are one take', async () => {
  model.configure({ take: 'split' })
  model.write('run_0.mcap')
  model.write('lone.mcap')
  for (let second = 0; second < 30; second += 1) {
    model.write('run_1.mcap', `second ${second}`)
    await model.passSeconds(1)
  }
  expect(states()).toMatchObject({ 'run_0.mcap': 'growing', 'run_1.mcap': 'growing' })
  expect(model.at('lone.mcap').state).not.toBe('growing')
  expect(await model.areProcessed()).toBe(true)
  expect(model.at('run_0.mcap').notes).toBe(
    '{"take":{"name":"run","files":2,"members":["run_0.mcap","run_1.mcap"]}}',
  )
})

test('a changed setting `take` applies to recordings that are in the journal already', async () => {
  model.configure({ take: 'file' })
  await model.recordBag()
  expect(model.at('bag/bag_0.mcap').take).toBeNull()
  model.configure({ take: 'folder' })
  await model.round()
  expect(model.at('bag/bag_0.mcap').take).toBe(BAG)
  model.configure({ take: 'file' })
  await model.round()
  expect(model.at('bag/bag_0.mcap').take).toBeNull()
})

test('a take names the file that it waits for', async () => {
  model.configure({ marker_suffix: '.done' })
  model.write('run/a.bin')
  model.write('run/a.bin.done')
  model.write('run/b.bin')
  await model.passSeconds(60)
  const waitsFor = (name: string) => model.progress.waitsFor(model.at(name).id)
  expect(waitsFor('run/a.bin')).toBe('b.bin')
  expect(waitsFor('run/b.bin')).toBe('b.bin.done')
  const view = { service: null, sending: true }
  const take = takeDetailOf(model.at('run/a.bin'), model.journal, (recording) =>
    rowOf(recording, model.progress, view, () => undefined),
  )
  expect(take?.row.waitsFor).toBe('b.bin')
  model.write('run/b.bin.done')
  expect(await model.areProcessed()).toBe(true)
  expect([waitsFor('run/a.bin'), waitsFor('run/b.bin')]).toEqual([null, null])
})

test('a rosbag2 folder names the file that it waits for: `metadata.yaml` or a listed file', async () => {
  model.write('bag/bag_0.mcap')
  await model.passSeconds(30)
  const waitsFor = () => model.progress.waitsFor(model.at('bag/bag_0.mcap').id)
  expect(waitsFor()).toBe('metadata.yaml')
  model.write('bag/metadata.yaml', METADATA)
  await model.passSeconds(30)
  expect(waitsFor()).toBe('bag_1.mcap')
})

test('a file that changes while Sluice checks a different file of its take does not count as finished', async () => {
  model.write('run/a.bin')
  await model.round()
  await model.pass(2_000)
  model.write('run/b.bin')
  await model.round()
  let hasChanged = false
  model.drive.fate = (call, path) => {
    if (call !== 'inspect' || !path.endsWith('b.bin') || hasChanged) return null
    hasChanged = true
    model.drive.write(`${FOLDER}/run/a.bin`, 'half', SIZE + 1)
    const { identity } = model.drive.at(`${FOLDER}/run/a.bin`) ?? model.at('run/a.bin')
    model.journal.recordings.patch(model.at('run/a.bin').id, { identity })
    return null
  }
  for (let second = 0; second < 14 && !hasChanged; second += 1) await model.passSeconds(1)
  expect(hasChanged).toBe(true)
  await model.round()
  expect(states()).toEqual({ 'a.bin': 'growing', 'b.bin': 'growing' })
  expect(await model.areProcessed()).toBe(true)
  expect(model.service.sessions.size).toBe(2)
})

test('a take may have 150,000 files', async () => {
  const { journal, drive } = model
  const takes = new FinishedTakes({ journal, files: drive.files, paths: pathsOf('linux') })
  const identity = { device: '1', inode: '1', sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  const files = Array.from({ length: 150_000 }, (_, id) => ({
    ...{ id, identity, path: `${FOLDER}/run/${id}.bin`, folder: FOLDER, take: `${FOLDER}/run` },
    ...{ isDismissed: false, problemCode: null, attempts: 0, nextAttemptAtMs: 0 },
  }))
  for (const file of files) takes.add(file, { identity, settle: () => {} })
  const times = { settleMs: 3, unmarkedMs: 3, quietMs: () => 1 }
  const found = await takes.find(
    files,
    () => times,
    () => undefined,
  )
  expect(found.map(({ waitMs }) => waitMs)).toEqual([2])
})
