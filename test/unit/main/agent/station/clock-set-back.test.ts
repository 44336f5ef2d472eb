import { expect, test } from 'vitest'
import { isBusy } from '../../../../../main/agent/journal/write-lock.ts'
import { Prober } from '../../../../../main/agent/station/prober.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { holdJournal } from '../../../../support/hold-journal.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'

const HOUR_MS = 3_600_000

test.each(['while Sluice runs', 'before Sluice starts'])(
  'a clock that is set back %s delays no recording for long, even if another program locks the journal',
  async (when) => {
    let wallMs = Date.now()
    let monotonicMs = 0
    const { journal, folder: dataFolder, close } = openTempJournal(() => wallMs)
    const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/takes', site: 's' }] }).folders
    if (folder === undefined) throw new Error('a folder is needed')
    const identity = { device: '1', inode: '2', sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    const { id } = journal.recordings.add({ path: '/takes/a', identity }, folder, { findSessionFirst: false })
    journal.recordings.patch(id, { nextAttemptAtMs: wallMs + 60_000 })
    const station = { code: () => null, isKeyTrusted: true, isProbeDue: () => false, clear() {}, raise() {} }
    const prober = new Prober({
      journal,
      station,
      service: () => null,
      settings: () => null,
      files: { freeBytes: async () => 1e12 },
      dataFolder,
      clock: { wallMs: () => wallMs, monotonicMs: () => monotonicMs },
      random: () => 0,
      log: { info() {}, warn() {}, error() {} },
    } as unknown as ConstructorParameters<typeof Prober>[0])
    const { signal } = new AbortController()
    if (when === 'while Sluice runs') await prober.step(signal)
    wallMs -= 1000 * HOUR_MS
    monotonicMs += 1_000
    const lock = await holdJournal(dataFolder)
    const wasBusy = await prober.step(signal).then(() => false, isBusy)
    await lock.release()
    await journal.whenFree(signal)
    for (let step = 0; step < 3; step += 1) {
      wallMs += 1_000
      monotonicMs += 1_000
      await prober.step(signal)
    }
    const waitMs = (journal.recordings.byId(id)?.nextAttemptAtMs ?? 0) - wallMs
    close()
    expect(wasBusy).toBe(true)
    expect(waitMs).toBeLessThanOrEqual(HOUR_MS)
  },
)
