import { chownSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { needs, root } from '../../../../support/needs.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'

const SERVICE_UID = 65_534

test('a backup that root makes belongs to the owner of the data folder', needs(root), async () => {
  const { journal, folder, close } = openTempJournal(Date.now)
  chownSync(folder, SERVICE_UID, SERVICE_UID)
  await journal.backup()
  expect(statSync(path.join(folder, 'journal.backup.db')).uid).toBe(SERVICE_UID)
  close()
})
