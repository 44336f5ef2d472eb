import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Agent } from '../../../main/agent/assembly/agent.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { BAG, DELETE, TakeStation } from '../../support/model/take-station.ts'
import { until } from '../../support/station.ts'

/** A user changes the setting `take` of a folder whose files are in the journal already. */

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
})
afterEach(() => model.close())

/** Restarts Sluice with new settings while the folder is offline, then brings the folder back. */
const configureOffline = async (folder: object) => {
  const { folderAccess } = model.drive
  const { scan, volumeOf } = folderAccess
  Object.assign(folderAccess, { scan: async () => ({ kind: 'offline' }), volumeOf: async () => null })
  model.configure(folder)
  await model.round()
  await model.pass(2_000)
  await model.round()
  Object.assign(folderAccess, { scan, volumeOf })
  await model.pass(20_000)
  await model.round()
}

const recordSafeAndUnsafeFile = async () => {
  model.damage('b.bin')
  model.write('bag/a.bin')
  model.write('bag/b.bin')
  expect(await model.until(() => model.at('bag/a.bin').state === 'processed')).toBe(true)
}

test('a setting that changes while the folder is offline applies to all files of the folder', async () => {
  model.configure({ take: 'file' })
  model.write('bag/a.bin')
  model.write('bag/b.bin')
  expect(await model.areProcessed()).toBe(true)
  await configureOffline({ take: 'folder' })
  model.write('bag/c.bin')
  await model.until(() => model.recordings().length === 3)
  expect(model.recordings().map(({ take }) => take)).toEqual([BAG, BAG, BAG])
})

test('after `take: folder` is set while the folder is offline, no file is deleted before its take is safe', async () => {
  model.configure({ take: 'file' })
  await recordSafeAndUnsafeFile()
  await configureOffline({ take: 'folder', ...DELETE })
  await model.until(() => model.names().length < 2, 60)
  expect(model.names()).toEqual(['bag/a.bin', 'bag/b.bin'])
})

test('after `take: file` is set while the folder is offline, a safe file is deleted without waiting for its take', async () => {
  await recordSafeAndUnsafeFile()
  await configureOffline({ take: 'file', ...DELETE })
  await model.until(() => model.names().length < 2, 60)
  expect(model.names()).toEqual(['bag/b.bin'])
})

test('after `take: folder` is set, no file is deleted before its take is safe, even if no scan succeeds', async () => {
  model.configure({ take: 'file' })
  await recordSafeAndUnsafeFile()
  Object.assign(model.drive.folderAccess, {
    scan: async () => {
      throw new Error('slow')
    },
  })
  model.configure({ take: 'folder', ...DELETE })
  for (let minute = 0; minute < 10; minute += 1) {
    await model.pass(61_000)
    await model.round()
  }
  expect(model.names()).toEqual(['bag/a.bin', 'bag/b.bin'])
})

test('the journal has the new takes before any stage sees the new settings', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-takes-'))
  const folder = path.join(root, 'recordings')
  mkdirSync(path.join(folder, 'bag'), { recursive: true })
  writeFileSync(path.join(folder, 'bag', 'a.bin'), 'a')
  const ignore = () => {}
  const agent = new Agent({
    dataFolder: path.join(root, 'data'),
    log: { info: ignore, warn: ignore, error: ignore },
    onDamage: ignore,
  })
  const configure = (take: string) =>
    agent.configure({
      settings: settingsSchema.parse({
        service: { base_url: 'http://127.0.0.1:1' },
        folders: [{ path: folder, site: 'lab', take }],
      }),
      apiKey: null,
      systemProxy: { kind: 'unknown' },
    })
  try {
    await configure('file')
    await until('the file is found', () => agent.journal.views.everything().length === 1)
    const applied = configure('folder')
    // Waits in microtasks, so that no stage runs between the new settings and the check.
    for (let turn = 0; turn < 100 && agent.settings?.folders[0]?.take !== 'folder'; turn += 1)
      await Promise.resolve()
    expect(agent.settings?.folders[0]?.take).toBe('folder')
    expect(agent.journal.views.everything()[0]?.take).toBe(path.join(folder, 'bag'))
    await applied
  } finally {
    await agent.stop()
    rmSync(root, { recursive: true })
  }
})
