import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { TakeStore } from '../../../main/agent/journal/take-store.ts'
import { FOLDER } from '../../support/model/station.ts'
import { BAG, DELETE, TakeStation } from '../../support/model/take-station.ts'

/** When the files of a take leave this PC, and when all of them stay. */

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
})
afterEach(() => model.closeAndExpectNoBugs())

test('a new take with the name of a removed take stays if the service has lost a session of the new take', async () => {
  model.configure(DELETE)
  model.write('bag/old.bin')
  expect(await model.until(() => model.recordings().length === 1 && model.names().length === 0)).toBe(true)
  model.configure({})
  model.write('bag/x.bin')
  model.write('bag/y.bin')
  expect(await model.areProcessed()).toBe(true)
  model.service.sessions.delete(model.at('bag/y.bin').sessionId ?? '')
  model.configure(DELETE)
  await model.until(() => model.names().length < 2, 60)
  expect(model.names()).toEqual(['bag/x.bin', 'bag/y.bin'])
})

test('if one file of a take must stay, Sluice does not poll all sessions of the take once per file', async () => {
  const files = Array.from({ length: 12 }, (_, n) => `bag/${String(n).padStart(2, '0')}.bin`)
  for (const file of files) model.write(file)
  expect(await model.areProcessed()).toBe(true)
  const last = files.at(-1)!
  model.drive.fate = (call, path) =>
    call === 'identify' && path.endsWith(last) ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' } : null
  const pollsBefore = model.service.countCalls('retrieve')
  model.configure(DELETE)
  const waits = () => model.recordings().map(({ id }) => model.journal.removals.of(id)?.waits ?? null)
  expect(await model.until(() => waits().every((wait) => wait !== null), 60)).toBe(true)
  expect(model.service.countCalls('retrieve') - pollsBefore).toBeLessThan(2 * files.length)
  expect(model.names()).toEqual(files)
})

const waitOf = (name: string) => model.journal.removals.of(model.at(name).id)?.waits ?? null
const countNotRemoved = (name: string) =>
  model.journal.activity
    .read({ groups: [], fromMs: null, toMs: null, before: null, limit: 1_000 })
    .filter(
      ({ activity, recordingId }) => activity.kind === 'not-removed' && recordingId === model.at(name).id,
    ).length
const hours = async (count: number) => {
  for (let n = 0; n < count * 6; n += 1) {
    await model.pass(10 * 60_000)
    await model.round()
  }
}
const leaveOut = (paths: readonly string[], code: string) => {
  const { folderAccess } = model.drive
  const { scan } = folderAccess
  const unreadablePaths = paths.map((path) => ({ path: `${FOLDER}/${path}`, code, detail: code }))
  Object.assign(folderAccess, {
    scan: async (...args: Parameters<typeof scan>) => ({ ...(await scan(...args)), unreadablePaths }),
  })
}
const cannotIdentify = (...names: readonly string[]) => {
  model.drive.fate = (call, path) =>
    call === 'identify' && names.some((name) => path.endsWith(name))
      ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' }
      : null
}

test.each(['folder', 'split'] as const)(
  'if Sluice cannot read a long path, only the take to which the path may belong stays (take: %s)',
  async (take) => {
    const [stays, leaves] = ['deep/run_0.bin', 'bag/run_0.bin']
    model.configure({ take })
    model.write(stays)
    model.write(leaves)
    expect(await model.areProcessed()).toBe(true)
    // Sluice stores only the beginning and the end of a long path, and decides by the beginning. With `take: split`,
    // the beginning contains only a part of the file name.
    leaveOut([`deep/${take === 'folder' ? 'x/'.repeat(200) : 'x'.repeat(400)}`], 'ENAMETOOLONG')
    model.hint()
    await model.round()
    model.configure({ take, ...DELETE })
    expect(await model.until(() => !model.names().includes(leaves), 60)).toBe(true)
    await hours(3)
    expect(model.names()).toEqual([stays])
    expect(waitOf(stays)).toBe('take-unreadable')
  },
)

test.each([
  ['folder', 'bag'],
  ['split', 'bag/run'],
] as const)(
  'if Sluice cannot read thousands of paths, only the takes of these paths stay (take: %s)',
  async (take, name) => {
    const [stays, alsoStays, leaves] = [`${name}_0.bin`, 'closed/y_0.bin', 'other/x_0.bin'].map((file) =>
      take === 'folder' ? file.replace('_0.bin', '/0.bin') : file,
    ) as [string, string, string]
    model.configure({ take })
    for (const file of [stays, alsoStays, leaves]) model.write(file)
    expect(await model.areProcessed()).toBe(true)
    const files = Array.from({ length: 2_000 }, (_, n) => stays.replace('0.bin', `${n + 1}.bin`))
    leaveOut([...files, 'closed'], 'EACCES')
    model.hint()
    await model.round()
    model.configure({ take, ...DELETE })
    expect(await model.until(() => !model.names().includes(leaves), 60)).toBe(true)
    await hours(3)
    expect(model.names()).toEqual([stays, alsoStays])
    expect([stays, alsoStays].map(waitOf)).toEqual(['take-unreadable', 'take-unreadable'])
  },
)

test('after a change of the setting `take`, all takes stay until the next scan if the list of unreadable paths is incomplete', async () => {
  model.write('bag/run_0.bin')
  expect(await model.areProcessed()).toBe(true)
  const files = Array.from({ length: 2_000 }, (_, n) => `bag/part/${n}.bin`)
  leaveOut([...files, 'bag/run_1.bin'], 'EACCES')
  model.hint()
  await model.round()
  Object.assign(model.drive.folderAccess, { scan: () => new Promise(() => {}) })
  model.configure({ take: 'split', ...DELETE })
  await hours(3)
  expect(model.names()).toEqual(['bag/run_0.bin'])
  expect(model.at('bag/run_0.bin').take).toBe(`${BAG}/run_*.bin`)
})

test('while Sluice cannot read a path of a take, a file that a user deleted keeps the reason `file-gone`', async () => {
  const files = ['bag/a.bin', 'bag/b.bin', 'bag/c.bin']
  for (const file of files) model.write(file)
  expect(await model.areProcessed()).toBe(true)
  leaveOut(['bag/camera'], 'EACCES')
  for (const name of ['a', 'c']) model.drive.remove(`${BAG}/${name}.bin`)
  model.hint()
  await model.round()
  model.configure(DELETE)
  expect(await model.until(() => files.every((file) => waitOf(file) !== null), 60)).toBe(true)
  await hours(3)
  expect(files.map(waitOf)).toEqual(['file-gone', 'take-unreadable', 'file-gone'])
  expect(files.map(countNotRemoved)).toEqual([0, 1, 0])
})

test('if paths of too many takes cannot be read, Sluice checks a take once an hour, not once per file', async () => {
  const files = Array.from({ length: 12 }, (_, n) => `bag/${String(n).padStart(2, '0')}.bin`)
  for (const file of files) model.write(file)
  expect(await model.areProcessed()).toBe(true)
  leaveOut(
    Array.from({ length: 101 }, (_, n) => `other-${n}/x`),
    'EACCES',
  )
  model.hint()
  await model.round()
  const takeChecks = vi.spyOn(TakeStore.prototype, 'members')
  onTestFinished(() => takeChecks.mockRestore())
  model.configure(DELETE)
  expect(await model.until(() => files.every((file) => waitOf(file) === 'take-unreadable'), 60)).toBe(true)
  expect(takeChecks).toHaveBeenCalledTimes(1)
  await hours(5)
  expect(takeChecks.mock.calls.length).toBeLessThan(8)
  expect(model.names()).toEqual(files)
  expect(files.map(countNotRemoved)).toEqual(files.map(() => 1))
})

test('while a take is not safe, a file that a user deleted keeps the reason `file-gone`', async () => {
  for (const name of ['gone', 'good', 'locked']) model.write(`bag/${name}.bin`)
  expect(await model.areProcessed()).toBe(true)
  model.drive.remove(`${BAG}/gone.bin`)
  cannotIdentify('locked.bin')
  model.configure(DELETE)
  await hours(12)
  expect(waitOf('bag/good.bin')).toBe('take-not-safe')
  expect(waitOf('bag/gone.bin')).toBe('file-gone')
  expect(countNotRemoved('bag/gone.bin')).toBeLessThan(2)
})

test('while a take is not safe, a removal that cannot continue keeps the reason `name-hidden`', async () => {
  for (const name of ['a', 'stuck', 'z']) model.write(`bag/${name}.bin`)
  expect(await model.areProcessed()).toBe(true)
  cannotIdentify('a.bin', 'stuck.bin')
  model.journal.removals.intend(model.at('bag/stuck.bin'), {
    action: 'delete',
    removalName: `${BAG}/.sluice-removing-0~stuck.bin`,
    target: null,
    copy: null,
    early: false,
  })
  model.configure(DELETE)
  await hours(3)
  expect(waitOf('bag/z.bin')).toBe('take-not-safe')
  expect(waitOf('bag/stuck.bin')).toBe('name-hidden')
  expect(countNotRemoved('bag/stuck.bin')).toBe(1)
})

test('a take stays while Sluice cannot read one of its subfolders', async () => {
  model.write('bag/x.bin')
  model.write('other/y.bin')
  expect(await model.areProcessed()).toBe(true)
  const { folderAccess } = model.drive
  const { scan } = folderAccess
  const unreadablePaths = [{ path: `${BAG}/camera`, code: 'EACCES', detail: 'denied' }]
  Object.assign(folderAccess, {
    scan: async (...args: Parameters<typeof scan>) => ({ ...(await scan(...args)), unreadablePaths }),
  })
  model.configure(DELETE)
  await model.until(() => model.names().length < 1, 30)
  expect(model.names()).toEqual(['bag/x.bin'])
  Object.assign(folderAccess, { scan })
  model.hint()
  expect(await model.until(() => model.names().length === 0)).toBe(true)
})

test('a dismissed file does not keep its take on this PC, also after a user has deleted the file', async () => {
  for (const isDeleted of [false, true]) {
    const run = `run-${isDeleted}`
    model.configure({})
    model.drive.write(`${FOLDER}/${run}/empty.bin`, '', 0)
    model.write(`${run}/a.bin`)
    const empty = () => model.at(`${run}/empty.bin`)
    expect(await model.until(() => model.at(`${run}/a.bin`).state === 'processed')).toBe(true)
    expect(await model.until(() => empty().problem?.code === 'empty-file')).toBe(true)
    commands.dismiss(model.journal, empty())
    if (isDeleted) model.drive.remove(`${FOLDER}/${run}/empty.bin`)
    model.hint()
    expect(await model.until(() => (empty().state === 'gone') === isDeleted)).toBe(true)
    model.configure(DELETE)
    expect(await model.until(() => !model.names().includes(`${run}/a.bin`), 60)).toBe(true)
    expect(model.names()).toEqual(['run-false/empty.bin'])
  }
})

test('a file that became a marker does not keep its take on this PC', async () => {
  model.configure(DELETE)
  model.write('run/a.bin')
  model.write('run/a.bin.done')
  await model.until(() => model.recordings().length === 2)
  model.configure({ ...DELETE, marker_suffix: '.done' })
  expect(await model.until(() => model.at('run/a.bin').state === 'processed')).toBe(true)
  expect(model.at('run/a.bin.done')).toMatchObject({ state: 'gone', problem: null })
  expect(await model.until(() => !model.names().includes('run/a.bin'), 60)).toBe(true)
})
