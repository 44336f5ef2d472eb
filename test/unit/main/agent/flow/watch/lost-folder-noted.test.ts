import { expect, test } from 'vitest'
import { Watcher } from '../../../../../../main/agent/flow/watch/watcher.ts'
import { isBusy } from '../../../../../../main/agent/journal/write-lock.ts'
import { systemClock } from '../../../../../../shared/clock/clock.ts'
import { pathsOf } from '../../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../../shared/settings/settings.ts'
import { holdJournal } from '../../../../../support/hold-journal.ts'
import { openTempJournal } from '../../../../../support/temp-journal.ts'

test('notes a lost folder in the journal, even if another program locks the journal at that moment', async () => {
  const { journal, folder: dataFolder, close } = openTempJournal(Date.now)
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/nowhere', site: 's' }] }).folders
  if (folder === undefined) throw new Error('a folder is needed')
  const watcher = new Watcher(folder, {
    journal,
    folderAccess: {
      volumeOf: async () => null,
      sharing: async () => 'own',
      scan: async () => ({ kind: 'offline', detail: 'gone' }),
      watch: () => ({ enter: null, close: () => {} }),
    },
    files: {},
    clock: systemClock,
    log: { info() {}, warn() {}, error() {} },
    wake() {},
    onState() {},
    paths: pathsOf(process.platform),
    inner: [],
  } as unknown as ConstructorParameters<typeof Watcher>[1])
  const { signal } = new AbortController()
  const lockHolder = await holdJournal(dataFolder)
  const wasBusy = await watcher.step(signal).then(() => false, isBusy)
  await lockHolder.release()
  await journal.whenFree(signal)
  await watcher.step(signal)
  const activities = journal.activity.read({ groups: [], fromMs: null, toMs: null, before: null, limit: 50 })
  const storedState = journal.folders.of('/nowhere')?.state
  close()
  expect(wasBusy).toBe(true)
  expect(storedState).toBe('offline')
  expect(activities.map(({ activity }) => activity.kind)).toEqual(['folder-lost'])
})
