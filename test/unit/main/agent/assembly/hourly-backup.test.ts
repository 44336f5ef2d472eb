import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { HourlyBackup } from '../../../../../main/agent/assembly/hourly-backup.ts'
import { systemClock } from '../../../../../shared/clock/clock.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'

test('the backup at shutdown does not disturb an hourly backup that is still running', async () => {
  const { journal, folder, close } = openTempJournal(Date.now)
  const logged: unknown[] = []
  const log = (...line: unknown[]) => void logged.push(line)
  let nowMs = 0
  const backup = new HourlyBackup({
    journal,
    clock: { ...systemClock, monotonicMs: () => nowMs },
    log: { info: log, warn: log, error: log },
    reportError: () => expect.unreachable(),
  })
  nowMs = 3_600_001
  backup.tick()
  await backup.backUp()
  expect(logged).toEqual([])
  const copy = new Database(path.join(folder, 'journal.backup.db'), { readonly: true })
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  copy.close()
  close()
})
