import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { actOnPaths } from '../../../main/agent/calls/path-commands.ts'
import { RecordingActions } from '../../../main/agent/calls/recording-actions.ts'
import { NEVER_MS, problemOf } from '../../../main/agent/domain/problems.ts'
import { FinishedTakes } from '../../../main/agent/flow/settle/finished-takes.ts'
import { rowOf } from '../../../main/agent/status/recording-rows.ts'
import { takeDetailOf } from '../../../main/agent/status/take-rows.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** With `take: folder`, the files of each folder below the watched folder are one take. */

const SIZE = 10_000
const DAY_MS = 86_400_000
const BAG = `${FOLDER}/bag`
const METADATA = 'rosbag2_bagfile_information:\n  relative_file_paths:\n    - bag_0.mcap\n    - bag_1.mcap\n'

let model: ModelStation
const configure = (folder: object) => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 10, take: 'folder', ...folder }],
  })
  model.restart()
}
beforeEach(() => {
  model = new ModelStation()
  configure({})
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const write = (name: string, content = name) => {
  model.drive.write(`${FOLDER}/${name}`, content, SIZE)
  model.hint()
}
const at = (name: string) => model.recordingAt(`${FOLDER}/${name}`)
const states = () => Object.fromEntries(model.recordings().map(({ name, state }) => [name, state]))
const seconds = async (count: number) => {
  for (let second = 0; second < count; second += 1) {
    await model.pass(1_000)
    await model.round()
  }
}
const allProcessed = () =>
  model.until(
    () => model.recordings().length > 0 && model.recordings().every(({ state }) => state === 'processed'),
  )
const names = () => model.drive.paths().map((path) => path.slice(FOLDER.length + 1))
const recordBag = async () => {
  write('bag/bag_0.mcap')
  write('bag/bag_1.mcap')
  write('bag/metadata.yaml', METADATA)
  expect(await allProcessed()).toBe(true)
}

test('no file of a take is uploaded before all its files are finished', async () => {
  write('run/a.bin')
  for (let minute = 0; minute < 6; minute += 1) {
    write('run/b.bin', `minute ${minute}`)
    await seconds(5)
  }
  expect(states()).toEqual({ 'a.bin': 'growing', 'b.bin': 'growing' })
  expect(model.service.sessions.size).toBe(0)
  expect(await allProcessed()).toBe(true)
  expect(model.service.sessions.size).toBe(2)
})

test('a different take and a file outside all takes do not wait', async () => {
  write('run/a.bin')
  write('other/c.bin')
  write('lone.bin')
  for (let second = 0; second < 40; second += 1) {
    write('run/b.bin', `second ${second}`)
    await seconds(1)
  }
  expect(states()).toMatchObject({ 'a.bin': 'growing', 'b.bin': 'growing' })
  expect(at('other/c.bin').state).not.toBe('growing')
  expect(at('lone.bin')).toMatchObject({ take: null })
  expect(at('lone.bin').state).not.toBe('growing')
})

test('a rosbag2 folder is finished when metadata.yaml and all listed files are there', async () => {
  write('bag/bag_0.mcap')
  await seconds(60)
  expect(states()).toEqual({ 'bag_0.mcap': 'growing' })
  write('bag/metadata.yaml', METADATA)
  await seconds(60)
  expect(states()).toEqual({ 'bag_0.mcap': 'growing', 'metadata.yaml': 'growing' })
  write('bag/bag_1.mcap')
  expect(await allProcessed()).toBe(true)
  expect(at('bag/bag_0.mcap').take).toBe(BAG)
})

test('a rosbag2 folder without metadata.yaml is uploaded late, as cut off', async () => {
  write('bag/bag_0.mcap')
  await seconds(90)
  expect(states()).toEqual({ 'bag_0.mcap': 'growing' })
  expect(await allProcessed()).toBe(true)
  const reasons = model.journal.views.timeline(at('bag/bag_0.mcap').id).map(({ reason }) => reason)
  expect(reasons).toContain('incomplete; uploaded as is')
})

test('the notes of each session name the take and all its files', async () => {
  configure({ notes: 'night shift' })
  await recordBag()
  for (const name of ['bag/bag_0.mcap', 'bag/bag_1.mcap', 'bag/metadata.yaml']) {
    const [text, line] = at(name).notes?.split('\n\n') ?? []
    expect(text).toBe('night shift')
    expect(JSON.parse(line ?? '')).toEqual({
      take: { name: 'bag', files: 3, members: ['bag_0.mcap', 'bag_1.mcap', 'metadata.yaml'] },
    })
  }
})

test('an empty file does not hold back its take', async () => {
  write('run/a.bin')
  model.drive.write(`${FOLDER}/run/empty.bin`, '', 0)
  expect(await model.until(() => at('run/a.bin').state === 'processed')).toBe(true)
  expect(at('run/empty.bin')).toMatchObject({ state: 'growing', problem: { code: 'empty-file' } })
})

test('a file that is added later is uploaded, and nothing is sent twice', async () => {
  await recordBag()
  const sessions = [...model.service.sessions.keys()]
  write('bag/calibration.json')
  expect(await model.until(() => model.recordings().length === 4)).toBe(true)
  expect(model.journal.views.timeline(at('bag/calibration.json').id)).toMatchObject([
    { to: 'growing', reason: 'file added or changed after its take was finished' },
  ])
  expect(await allProcessed()).toBe(true)
  expect([...model.service.sessions.keys()].slice(0, 3)).toEqual(sessions)
  expect(model.service.sessions.size).toBe(4)
  expect(at('bag/calibration.json').notes).toContain('"files":4')
})

test('a file that changes later is uploaded again, and the others are not', async () => {
  await recordBag()
  write('bag/bag_1.mcap', 'new content')
  expect(await model.until(() => at('bag/bag_1.mcap').state === 'growing')).toBe(true)
  expect(await allProcessed()).toBe(true)
  expect(model.service.sessions.size).toBe(4)
})

test('a file that vanishes before its upload needs attention, and the others are uploaded', async () => {
  write('bag/bag_0.mcap')
  write('bag/bag_1.mcap')
  await seconds(3)
  model.drive.remove(`${BAG}/bag_1.mcap`)
  model.hint()
  write('bag/metadata.yaml', METADATA.replace('    - bag_1.mcap\n', ''))
  expect(await model.until(() => at('bag/bag_0.mcap').state === 'processed')).toBe(true)
  expect(at('bag/bag_1.mcap')).toMatchObject({ state: 'gone', problem: { code: 'file-vanished' } })
})

test('nothing of a take is deleted before all of it is safe', async () => {
  configure({ after_upload: { action: 'delete', days: 0 } })
  write('bag/bag_0.mcap')
  write('bag/bag_1.mcap')
  write('bag/metadata.yaml', METADATA)
  write('bag/late.json')
  model.drive.fate = (call, path) =>
    call === 'hash' && path.endsWith('late.json')
      ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' }
      : null
  await model.until(() => false, 60)
  expect(names()).toHaveLength(4)
  expect(states()).toMatchObject({ 'bag_0.mcap': 'processed', 'bag_1.mcap': 'processed' })
  model.drive.fate = () => null
  expect(await model.until(() => names().length === 0)).toBe(true)
})

test('all files of a take leave at the same time, after the last one was kept long enough', async () => {
  await recordBag()
  await model.pass(20 * DAY_MS)
  write('bag/late.json')
  expect(await allProcessed()).toBe(true)
  configure({ after_upload: { action: 'delete', days: 30 } })
  await model.pass(15 * DAY_MS)
  await model.until(() => false, 3)
  expect(names()).toHaveLength(4)
  await model.pass(20 * DAY_MS)
  expect(await model.until(() => names().length === 0)).toBe(true)
})

test('if the service has lost one session of a take, the whole take stays', async () => {
  await recordBag()
  const lost = at('bag/metadata.yaml').sessionId ?? ''
  model.service.sessions.delete(lost)
  configure({ after_upload: { action: 'delete', days: 0 } })
  await model.until(() => names().length < 3, 30)
  expect(names()).toHaveLength(3)
  expect(at('bag/metadata.yaml').state).toBe('failed')
})

test('kill -9 at each moment: the take is uploaded once, and deleted as a whole', async () => {
  configure({ after_upload: { action: 'delete', days: 0 } })
  write('bag/bag_0.mcap')
  write('bag/bag_1.mcap')
  write('bag/metadata.yaml', METADATA)
  for (let kill = 0; kill < 25; kill += 1) {
    await model.round()
    await model.pass(kill * 1_000)
    model.restart()
  }
  expect(await model.until(() => names().length === 0)).toBe(true)
  expect(model.service.sessions.size).toBe(3)
})

test('files that differ only in a number are one take with take: split', async () => {
  configure({ take: 'split' })
  write('run_0.mcap')
  write('lone.mcap')
  for (let second = 0; second < 30; second += 1) {
    write('run_1.mcap', `second ${second}`)
    await seconds(1)
  }
  expect(states()).toMatchObject({ 'run_0.mcap': 'growing', 'run_1.mcap': 'growing' })
  expect(at('lone.mcap').state).not.toBe('growing')
  expect(await allProcessed()).toBe(true)
  expect(at('run_0.mcap').notes).toBe(
    '{"take":{"name":"run","files":2,"members":["run_0.mcap","run_1.mcap"]}}',
  )
})

test('a changed setting applies to recordings that are in the journal already', async () => {
  configure({ take: 'file' })
  await recordBag()
  expect(at('bag/bag_0.mcap').take).toBeNull()
  configure({ take: 'folder' })
  await model.round()
  expect(at('bag/bag_0.mcap').take).toBe(BAG)
  configure({ take: 'file' })
  await model.round()
  expect(at('bag/bag_0.mcap').take).toBeNull()
})

test('priority and retry apply to all files of a take, and its path names all of them', async () => {
  write('bag/bag_0.mcap')
  write('bag/bag_1.mcap')
  write('lone.bin')
  await model.until(() => model.recordings().length === 3)
  const actions = new RecordingActions(model.journal, () => ({ service: null, sending: true }))
  expect(await actions.run('prioritise', { ids: [at('bag/bag_0.mcap').id] })).toMatchObject({
    acted: 2,
    skipped: 0,
  })
  expect(at('bag/bag_1.mcap').prioritised).toBe(true)
  expect(at('lone.bin').prioritised).toBe(false)
  model.drive.fate = (call, path) =>
    call === 'hash' && path.startsWith(BAG) ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' } : null
  expect(await model.until(() => at('bag/bag_1.mcap').problem !== null)).toBe(true)
  expect(await model.until(() => at('bag/bag_0.mcap').problem !== null)).toBe(true)
  actOnPaths(model.journal, { action: 'retry', paths: [BAG] })
  expect(at('bag/bag_0.mcap').nextAttemptAtMs).toBe(0)
  expect(at('bag/bag_1.mcap').nextAttemptAtMs).toBe(0)
  expect(model.journal.receipts.ids({ kind: 'path', path: BAG }, 10)).toHaveLength(2)
})

const damageBoth = async () => {
  model.drive.fate = (call) =>
    call === 'hash' ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' } : null
  write('bag/a.bin')
  write('bag/b.bin')
  const haveProblems = () => model.recordings().every(({ problem }) => problem !== null)
  expect(await model.until(() => model.recordings().length === 2 && haveProblems())).toBe(true)
}
const retryFirst = () =>
  new RecordingActions(model.journal, () => ({ service: null, sending: true })).run('retry', {
    ids: [at('bag/a.bin').id],
  })

test('retry of one file does not release a held file of its take', async () => {
  await damageBoth()
  for (const endsBy of ['person', 'dismissed'] as const) {
    const problem = { ...problemOf('take-held'), endsBy }
    model.journal.recordings.patch(at('bag/b.bin').id, { problem, nextAttemptAtMs: NEVER_MS })
    expect(await retryFirst()).toMatchObject({ acted: 1, skipped: 0 })
    expect(at('bag/b.bin').nextAttemptAtMs).toBe(NEVER_MS)
  }
})

test('retry of one file does not upload an ignored file of its take', async () => {
  await damageBoth()
  commands.ignore(model.journal, at('bag/b.bin'))
  model.drive.fate = () => null
  expect(await model.until(() => at('bag/a.bin').state === 'processed')).toBe(true)
  await retryFirst()
  await model.until(() => at('bag/b.bin').state === 'processed', 60)
  expect(at('bag/b.bin')).toMatchObject({ state: 'queued', problem: { endsBy: 'dismissed' } })
})

test('retry of one file does not upload a failed file of its take that a user dismissed', async () => {
  await recordBag()
  model.journal.recordings.transition(
    at('bag/bag_1.mcap').id,
    'processed',
    { kind: 'deleted-at-service' },
    { reason: 'deleted', patch: { problem: problemOf('session-deleted') } },
  )
  commands.dismiss(model.journal, at('bag/bag_1.mcap'))
  expect(at('bag/bag_1.mcap')).toMatchObject({ state: 'failed', problem: null })
  const { id } = at('bag/bag_0.mcap')
  await new RecordingActions(model.journal, () => ({ service: null, sending: true })).run('retry', {
    ids: [id],
  })
  expect(at('bag/bag_1.mcap').state).toBe('failed')
})

test('retry of a take does not release its held files', async () => {
  await damageBoth()
  const problem = problemOf('take-held')
  model.journal.recordings.patch(at('bag/b.bin').id, { problem, nextAttemptAtMs: NEVER_MS })
  actOnPaths(model.journal, { action: 'retry', paths: [BAG] })
  expect(at('bag/a.bin').nextAttemptAtMs).toBe(0)
  expect(at('bag/b.bin').nextAttemptAtMs).toBe(NEVER_MS)
})

// The row of a take in the list has the least id of its files.
const retryRow = () =>
  new RecordingActions(model.journal, () => ({ service: null, sending: true })).run('retry', {
    ids: [at('bag/a.bin').id],
    takes: true,
  })
const holdUntilDecided = (name: string) =>
  model.journal.recordings.patch(at(name).id, {
    problem: problemOf('take-held'),
    nextAttemptAtMs: NEVER_MS,
  })

test('retry of the row of a take leaves its ignored and held files alone', async () => {
  await damageBoth()
  write('bag/c.bin')
  expect(await model.until(() => model.recordings().every(({ problem }) => problem !== null))).toBe(true)
  commands.ignore(model.journal, at('bag/a.bin'))
  model.journal.recordings.patch(at('bag/b.bin').id, {
    problem: { ...problemOf('file-busy'), endsBy: 'file' },
  })
  holdUntilDecided('bag/c.bin')
  expect(await retryRow()).toMatchObject({ acted: 1, skipped: 0 })
  expect(at('bag/a.bin').nextAttemptAtMs).toBe(NEVER_MS)
  expect(at('bag/b.bin').nextAttemptAtMs).toBe(0)
  expect(at('bag/c.bin').nextAttemptAtMs).toBe(NEVER_MS)
})

test('a decision on the row of a held take releases its held files, and no dismissed file', async () => {
  await damageBoth()
  model.drive.fate = () => null
  holdUntilDecided('bag/b.bin')
  expect(await model.until(() => at('bag/a.bin').state === 'processed')).toBe(true)
  write('bag/c.bin')
  expect(await model.until(() => model.recordings().length === 3)).toBe(true)
  holdUntilDecided('bag/c.bin')
  commands.dismiss(model.journal, at('bag/c.bin'))
  expect(await retryRow()).toMatchObject({ acted: 1, skipped: 0 })
  expect(at('bag/b.bin').nextAttemptAtMs).toBe(0)
  expect(at('bag/c.bin')).toMatchObject({ nextAttemptAtMs: NEVER_MS, problem: { endsBy: 'dismissed' } })
})

test('retry of the row of a dismissed take retries its dismissed files', async () => {
  await damageBoth()
  for (const name of ['bag/a.bin', 'bag/b.bin']) commands.ignore(model.journal, at(name))
  expect(await retryRow()).toMatchObject({ acted: 2, skipped: 0 })
  model.drive.fate = () => null
  expect(await allProcessed()).toBe(true)
})

test('a take names the file that it waits for', async () => {
  configure({ marker_suffix: '.done' })
  write('run/a.bin')
  write('run/a.bin.done')
  write('run/b.bin')
  await seconds(60)
  const waitsFor = (name: string) => model.progress.waitsFor(at(name).id)
  expect(waitsFor('run/a.bin')).toBe('b.bin')
  expect(waitsFor('run/b.bin')).toBe('b.bin.done')
  const view = { service: null, sending: true }
  const take = takeDetailOf(at('run/a.bin'), model.journal, (recording) =>
    rowOf(recording, model.progress, view, () => undefined),
  )
  expect(take?.row.waitsFor).toBe('b.bin')
  write('run/b.bin.done')
  expect(await allProcessed()).toBe(true)
  expect([waitsFor('run/a.bin'), waitsFor('run/b.bin')]).toEqual([null, null])
})

const needsAttention = async (name: string) => {
  for (let minute = 0; minute < 240 && at(name).problem?.endsBy !== 'file'; minute += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(at(name).problem?.endsBy).toBe('file')
}

test.each([
  ['', () => {}],
  [', also after a restart', () => model.restart()],
])('a dismissed file of a take is uploaded once its marker comes%s', async (_, before) => {
  configure({ marker_suffix: '.done' })
  write('run/a.bin')
  write('run/b.bin')
  write('run/b.bin.done')
  await seconds(1)
  await needsAttention('run/a.bin')
  expect(at('run/b.bin').state).toBe('growing')
  commands.dismiss(model.journal, at('run/a.bin'))
  expect(await model.until(() => at('run/b.bin').state === 'processed')).toBe(true)
  expect(at('run/a.bin')).toMatchObject({ state: 'growing', problem: { endsBy: 'dismissed' } })
  before()
  write('run/a.bin.done')
  expect(await allProcessed()).toBe(true)
})

test('a dismissed file of a take is uploaded once it can be read', async () => {
  model.drive.fate = (call, path) =>
    call === 'inspect' && path.endsWith('a.bin')
      ? { kind: 'file-busy', code: 'EBUSY', detail: 'locked' }
      : null
  write('run/a.bin')
  write('run/b.bin')
  await seconds(1)
  await needsAttention('run/a.bin')
  commands.dismiss(model.journal, at('run/a.bin'))
  expect(await model.until(() => at('run/b.bin').state === 'processed')).toBe(true)
  model.drive.fate = () => null
  expect(await allProcessed()).toBe(true)
})

test('an ignored file with an end mark stays ignored after a restart', async () => {
  model.drive.inspection = { ...model.drive.inspection, format: 'mcap', complete: 'yes' }
  model.drive.fate = (call, path) =>
    call === 'inspect' && path.endsWith('.mcap')
      ? { kind: 'file-busy', code: 'EBUSY', detail: 'locked' }
      : null
  write('run/a.mcap')
  write('lone.mcap')
  await seconds(1)
  for (const name of ['run/a.mcap', 'lone.mcap']) {
    await needsAttention(name)
    commands.ignore(model.journal, at(name))
  }
  model.drive.fate = () => null
  model.restart()
  await seconds(60)
  const ignored = { state: 'growing', problem: { endsBy: 'dismissed' } }
  expect(at('run/a.mcap')).toMatchObject(ignored)
  expect(at('lone.mcap')).toMatchObject(ignored)
})

test('a rosbag2 folder names metadata.yaml or the listed file that it waits for', async () => {
  write('bag/bag_0.mcap')
  await seconds(30)
  const waitsFor = () => model.progress.waitsFor(at('bag/bag_0.mcap').id)
  expect(waitsFor()).toBe('metadata.yaml')
  write('bag/metadata.yaml', METADATA)
  await seconds(30)
  expect(waitsFor()).toBe('bag_1.mcap')
})

test('a file that changes while the settler checks a different file of its take is not settled', async () => {
  write('run/a.bin')
  await model.round()
  await model.pass(2_000)
  write('run/b.bin')
  await model.round()
  let hasChanged = false
  model.drive.fate = (call, path) => {
    if (call !== 'inspect' || !path.endsWith('b.bin') || hasChanged) return null
    hasChanged = true
    model.drive.write(`${FOLDER}/run/a.bin`, 'half', SIZE + 1)
    const { identity } = model.drive.at(`${FOLDER}/run/a.bin`) ?? at('run/a.bin')
    model.journal.recordings.patch(at('run/a.bin').id, { identity })
    return null
  }
  for (let second = 0; second < 14 && !hasChanged; second += 1) await seconds(1)
  expect(hasChanged).toBe(true)
  await model.round()
  expect(states()).toEqual({ 'a.bin': 'growing', 'b.bin': 'growing' })
  expect(await allProcessed()).toBe(true)
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
