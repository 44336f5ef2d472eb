import path from 'node:path'
import { expect, test } from 'vitest'
import { intendDeletion } from '../../../main/agent/sessions/session-deletion.ts'
import { isRemovalName } from '../../../shared/paths/system-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { startSlowWrite } from '../../support/hold-journal.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'
import { until } from '../../support/station.ts'

/** What a command writes to the journal after it deleted the session at the service. */
const deletionSql = "UPDATE recordings SET state = 'failed', problem_code = 'session-deleted'"

test('a file stays if its session is deleted during the removal, because the file is then the only copy', async () => {
  const file = `${FOLDER}/take.bin`
  const model = new ModelStation()
  try {
    model.drive.write(file, 'a night', 8_000_001)
    expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
    const { inspect } = model.drive.files
    let commandWrite: Promise<unknown> | null = null
    Object.assign(model.drive.files, {
      inspect: async (inspectedPath: string) => {
        const inspection = await inspect(inspectedPath)
        if (!isRemovalName(path.basename(inspectedPath)) || commandWrite !== null) return inspection
        const command = await startSlowWrite(path.dirname(model.walFile), deletionSql)
        commandWrite = command.written
        return inspection
      },
    })
    model.settings = settingsSchema.parse({
      ...model.settings,
      folders: [
        { site: 'lab', settle_seconds: 1, path: FOLDER, after_upload: { action: 'delete', days: 0 } },
      ],
    })
    await model.round()
    await until('the command has written', () => commandWrite)
    await commandWrite
    const isIdle = () => model.journal.removals.underWay().length === 0
    await until('no removal is in progress', async () => {
      await model.round()
      return isIdle()
    })
    expect(model.drive.contentOf(file)).toBe('a night')
    expect(model.bugs).toEqual([])
  } finally {
    model.close()
  }
})

test('no command can delete a session at the moment when Sluice removes its file', async () => {
  const model = new ModelStation()
  try {
    model.drive.write(`${FOLDER}/take.bin`, 'a night', 8_000_001)
    expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
    const sessionId = model.firstRecording().sessionId ?? ''
    const answers: boolean[] = []
    model.fileOperations.onRemove = () => answers.push(intendDeletion(model.journal, sessionId))
    model.settings = settingsSchema.parse({
      ...model.settings,
      folders: [
        { site: 'lab', settle_seconds: 1, path: FOLDER, after_upload: { action: 'delete', days: 0 } },
      ],
    })
    expect(await model.until(() => model.firstRecording().removedAtMs !== null, 20)).toBe(true)
    expect(answers).toEqual([false])
    expect(model.journal.deletions.has(sessionId)).toBe(false)
    expect(intendDeletion(model.journal, sessionId)).toBe(true)
    expect(model.bugs).toEqual([])
  } finally {
    model.close()
  }
})
