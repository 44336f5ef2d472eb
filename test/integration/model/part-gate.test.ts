import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { failed } from '../../../main/agent/domain/failure.ts'
import { conditionNames, conditionOf } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const DAY_MS = 86_400_000
/** Twelve parts: more than the four slots of the model station can send at the same time. */
const SIZE = 12 * 64 * 1024 ** 2

let model: ModelStation
let startedCount: number
let cancelledCount: number
/** Lets the parts in flight arrive. Later parts arrive at once. */
let release: () => void
beforeEach(() => {
  startedCount = 0
  cancelledCount = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  release = resolve
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      sendPart: async (part) => {
        startedCount += 1
        const aborted = new Promise<'aborted'>((end) => {
          part.signal.addEventListener('abort', () => end('aborted'), { once: true })
        })
        if ((await Promise.race([promise, aborted])) !== 'aborted') return client.sendPart(part)
        cancelledCount += 1
        return failed({ kind: 'cancelled' })
      },
    }),
  })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
})
afterEach(() => {
  vi.restoreAllMocks()
  model.close()
  expect(model.bugs).toEqual([])
})

/** Raises a condition that no probe ends. */
const raisePermanently = (name: (typeof conditionNames)[number]): void => {
  const [code] = Object.keys(conditionOf(name).codes)
  model.station.raise(name, code as ProblemCode, { afterMs: 30 * DAY_MS })
  vi.spyOn(model.station, 'clear').mockImplementation(() => {})
}

const runRounds = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
}

/** Closes the upload hours. They begin again within two hours. */
const closeUploadHours = (): void => {
  const now = new Date(model.nowMs)
  const hour = (shift: number) => `${String((now.getHours() + shift) % 24).padStart(2, '0')}:00`
  const windows = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: hour(2), to: hour(3) }]
  model.settings = { ...model.settings, transfer: { ...model.settings.transfer, windows: windows as never } }
}

const conditionsThatStopUploads = conditionNames.filter((name) => conditionOf(name).stops.length > 0)
const conditionsThatStopNothing = conditionNames.filter((name) => conditionOf(name).stops.length === 0)

describe('before an upload begins', () => {
  test.each(conditionsThatStopUploads)('no part starts while the condition %s is true', async (name) => {
    raisePermanently(name)
    release()
    await runRounds(40)
    expect(startedCount).toBe(0)
    expect(model.firstRecording().state).toBe('ready')
  })

  test.each(conditionsThatStopNothing)('parts start while the condition %s is true', async (name) => {
    raisePermanently(name)
    release()
    expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
    expect(startedCount).toBe(12)
  })
})

describe('with parts in flight', () => {
  beforeEach(async () => {
    await model.until(() => startedCount === 4)
  })

  test.each(conditionNames)(
    'the condition %s lets parts in flight finish or stops them, as its entry in `conditions` requires',
    async (name) => {
      raisePermanently(name)
      await runRounds(3)
      const { partsInFlight, stops } = conditionOf(name)
      expect(cancelledCount).toBe(partsInFlight === 'stop' ? 4 : 0)
      release()
      await runRounds(10)
      // Sluice has the URLs of the other parts, so they start unless the condition stops parts.
      const mayContinue = !stops.includes('parts')
      expect(startedCount).toBe(mayContinue ? 12 : 4)
      expect(model.firstRecording().partsSent).toBe(mayContinue ? 12 : partsInFlight === 'finish' ? 4 : 0)
    },
  )

  test('a pause stops them, and no other part starts', async () => {
    model.journal.station.pause(null)
    await runRounds(3)
    expect(cancelledCount).toBe(4)
    release()
    await runRounds(10)
    expect(startedCount).toBe(4)
  })

  test('the end of the upload hours stops them, and no other part starts', async () => {
    closeUploadHours()
    await runRounds(3)
    expect(cancelledCount).toBe(4)
    release()
    await runRounds(10)
    expect(startedCount).toBe(4)
  })
})

describe('the command to upload now', () => {
  const recordingNamed = (name: string) => {
    const recording = model.recordings().find((recording) => recording.name === name)
    if (recording === undefined) throw new Error(`no recording ${name}`)
    return recording
  }
  const uploadNow = (name: string | null) =>
    commands.uploadNow(
      model.journal,
      model.settings.transfer,
      name === null ? null : recordingNamed(name),
      model.nowMs,
    )

  beforeEach(async () => {
    closeUploadHours()
    model.drive.write(`${FOLDER}/other.bin`, 'another night', SIZE)
    release()
    await model.until(() => model.recordings().filter(({ state }) => state === 'ready').length === 2)
  })

  test('uploads one recording outside the upload hours, and the other still waits for them', async () => {
    uploadNow('take.bin')
    expect(await model.until(() => recordingNamed('take.bin').state === 'processed')).toBe(true)
    await runRounds(10)
    expect(recordingNamed('other.bin').state).toBe('ready')
    expect(startedCount).toBe(12)
  })

  describe('a recording that waits for another recording with the same content', () => {
    beforeEach(async () => {
      model.drive.write(`${FOLDER}/copy.bin`, 'a night', SIZE)
      model.hint()
      await model.until(() => model.recordings().filter(({ state }) => state === 'ready').length === 3)
      uploadNow('copy.bin')
    })

    test('is uploaded now, and both recordings share one upload', async () => {
      expect(await model.until(() => recordingNamed('copy.bin').state === 'processed', 60)).toBe(true)
      expect(recordingNamed('take.bin').sessionId).toBe(recordingNamed('copy.bin').sessionId)
      expect(recordingNamed('other.bin').state).toBe('ready')
      expect(startedCount).toBe(12)
    })

    test('waits again after an undo, like the other recording', async () => {
      await model.until(() => recordingNamed('take.bin').state === 'uploading', 20)
      expect(model.journal.station.uploadNow()?.recordingIds).toHaveLength(2)
      expect(commands.cancelUploadNow(model.journal, recordingNamed('copy.bin'))).toBe(true)
      expect(model.journal.station.uploadNow()).toBeNull()
    })
  })

  test('no longer lists a recording once it is uploaded', async () => {
    uploadNow('take.bin')
    expect(await model.until(() => recordingNamed('take.bin').state === 'processed')).toBe(true)
    uploadNow('other.bin')
    expect(model.journal.station.uploadNow()?.recordingIds).toEqual([recordingNamed('other.bin').id])
  })

  test('still applies to all recordings after a restart, until the user undoes it', async () => {
    uploadNow(null)
    model.restart()
    expect(await model.until(() => model.recordings().every(({ state }) => state === 'processed'))).toBe(true)
    commands.cancelUploadNow(model.journal, null)
    model.drive.write(`${FOLDER}/late.bin`, 'a late night', SIZE)
    model.hint()
    await runRounds(20)
    expect(recordingNamed('late.bin').state).toBe('ready')
  })

  test('ends by itself when the upload hours begin', async () => {
    const untilMs = uploadNow(null) ?? 0
    expect(untilMs - model.nowMs).toBeLessThanOrEqual(2 * 3_600_000)
    await model.pass(untilMs - model.nowMs - 1_000)
    expect(model.journal.station.uploadNow()).not.toBeNull()
    await model.pass(1_000)
    expect(model.journal.station.uploadNow()).toBeNull()
  })

  test('never overrides a pause', async () => {
    model.journal.station.pause(null)
    uploadNow(null)
    await runRounds(20)
    expect(startedCount).toBe(0)
  })

  test('is refused inside the upload hours', () => {
    model.settings = { ...model.settings, transfer: { ...model.settings.transfer, windows: [] } }
    expect(() => uploadNow(null)).toThrow('may run now')
  })
})

test('after the upload hours end, Sluice finishes only the recording for which a user chose “upload now”', async () => {
  model.drive.write(`${FOLDER}/other.bin`, 'another night', SIZE)
  await model.until(() => startedCount === 4)
  closeUploadHours()
  const chosenRecording = model.recordings().find(({ state }) => state === 'uploading')
  if (chosenRecording === undefined) throw new Error('nothing is being uploaded')
  commands.uploadNow(model.journal, model.settings.transfer, chosenRecording, model.nowMs)
  release()
  const others = () => model.recordings().filter(({ id }) => id !== chosenRecording.id)
  expect(
    await model.until(
      () => model.recordings().find(({ id }) => id === chosenRecording.id)?.state === 'processed',
    ),
  ).toBe(true)
  await runRounds(5)
  expect(others().every(({ state }) => state === 'ready' || state === 'uploading')).toBe(true)
})

test('Sluice sends a part to probe a failed storage', async () => {
  model.station.raise('storage', 'storage-unreachable', { afterMs: 1_000 })
  release()
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect(model.station.code('storage')).toBeNull()
})

describe('on battery', () => {
  const setPauseOnBattery = (pause_on_battery: boolean) => {
    const { transfer } = model.settings
    model.settings = { ...model.settings, transfer: { ...transfer, pause_on_battery } }
  }

  test('parts in flight finish, no new part starts, and uploads continue when power is back', async () => {
    setPauseOnBattery(true)
    await model.until(() => startedCount === 4)
    model.isOnBattery = true
    await runRounds(3)
    release()
    await runRounds(10)
    expect([startedCount, cancelledCount, model.firstRecording().partsSent]).toEqual([4, 0, 4])
    expect(model.station.stop?.code).toBe('on-battery')
    model.isOnBattery = false
    expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
    expect(model.station.stop).toBeNull()
  })

  test('uploads continue once the user turns the setting off', async () => {
    model.isOnBattery = true
    setPauseOnBattery(true)
    release()
    await runRounds(20)
    expect(startedCount).toBe(0)
    setPauseOnBattery(false)
    expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  })
})
