import { afterEach, describe, expect, test } from 'vitest'
import { ignore } from '../../../main/agent/calls/commands.ts'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { NEVER_MS } from '../../../main/agent/domain/problems.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { applyFolders } from '../../../main/agent/stage/removed-folders.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { connectionReset } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** A user ignores a recording or removes its folder while a stage works on the recording. */

const SIZE = 30_000_000
const FILE = `${FOLDER}/take.bin`
const HOUR_MS = 3_600_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const refusal = (origin: 'control' | 'storage', param: string | null): Failure => ({
  kind: 'rejected',
  origin,
  status: 400,
  code: 'parameter_invalid',
  message: 'refused',
  param,
  requestId: 'req_1',
})

const setFolders = (folders: object[]) => {
  model.settings = settingsSchema.parse({ ...model.settings, folders })
  applyFolders(model.journal, model.settings.folders, linuxPaths)
}
const folder = { path: FOLDER, site: 'lab', settle_seconds: 1 }

describe('a user ignores a recording during its retry', () => {
  test.each([
    ['succeeds', false],
    ['fails again', true],
  ])('the recording stays ignored if the retry %s', async (_, failsAgain) => {
    let isRefusing = true
    let isIgnored = false
    const wrapClient = (client: ServiceClient): ServiceClient => ({
      ...client,
      sendPart: async (...args) => {
        if (isRefusing) return failed(refusal('storage', null))
        const answer = failsAgain ? failed(refusal('storage', null)) : await client.sendPart(...args)
        if (!isIgnored) ignore(model.journal, model.firstRecording())
        isIgnored = true
        return answer
      },
    })
    model = new ModelStation({ wrapClient })
    model.drive.write(FILE, 'a night', SIZE)
    const waits = () => model.recordings()[0]?.problem?.code === 'upload-refused'
    expect(await model.until(waits)).toBe(true)
    isRefusing = false
    expect(await model.until(() => isIgnored)).toBe(true)
    for (let hour = 0; hour < 5; hour += 1) {
      await model.pass(HOUR_MS)
      await model.round()
    }
    expect(model.firstRecording()).toMatchObject({
      state: 'uploading',
      problem: { endsBy: 'dismissed' },
      nextAttemptAtMs: NEVER_MS,
    })
  })
})

describe('a user removes the folder after two failed create requests', () => {
  const openStation = async (fate: 'lost' | 'never-arrives') => {
    let isRefusing = false
    model = new ModelStation({
      wrapClient: (client) => ({
        ...client,
        createSession: (...args) =>
          isRefusing ? Promise.resolve(failed(refusal('control', 'device'))) : client.createSession(...args),
      }),
    })
    model.service.fate = (call) => {
      if (call !== 'create') return { kind: 'answered' }
      return { kind: fate === 'lost' ? 'lost' : 'refused', failure: connectionReset }
    }
    model.drive.write(FILE, 'a night', SIZE)
    expect(await model.until(() => (model.recordings()[0]?.attempts ?? 0) > 0)).toBe(true)
    isRefusing = true
    expect(await model.until(() => model.firstRecording().problem?.code === 'device-refused')).toBe(true)
    isRefusing = false
    model.service.fate = () => ({ kind: 'answered' })
    setFolders([])
    model.journal.recordings.retryHeld(['settings'])
  }

  test('Sluice completes the session if only the answer to the first request was lost', async () => {
    await openStation('lost')
    expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
    expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
  })

  test('Sluice waits for the folder if the first request never arrived', async () => {
    await openStation('never-arrives')
    expect(await model.until(() => model.firstRecording().problem?.code === 'folder-removed')).toBe(true)
    expect(model.service.sessions.size).toBe(0)
    setFolders([folder])
    expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
    expect(model.service.sessions.size).toBe(1)
  })
})

test('a recording gets no session if a user removes its folder while Sluice prepares the create request', async () => {
  model = new ModelStation()
  const { files } = model.drive
  const { readText } = files
  let isRemoved = false
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ ...folder, notes_sidecar: '.txt' }],
  })
  Object.assign(files, {
    readText: async (...args: Parameters<typeof readText>) => {
      const text = await readText(...args)
      if (!isRemoved) setFolders([])
      isRemoved = true
      return text
    },
  })
  model.drive.write(FILE, 'a night', SIZE)
  expect(await model.until(() => isRemoved)).toBe(true)
  expect(await model.until(() => model.service.sessions.size > 0, 30)).toBe(false)
  expect(model.firstRecording().problem?.code).toBe('folder-removed')
})
