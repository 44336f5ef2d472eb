import { expect, test } from 'vitest'
import { nightFiguresOf } from '../../../../main/agent/outlook/nights.ts'
import { knownNights, sevenNightsWords } from '../../../../renderer/components/night-words.ts'
import { settingsSchema } from '../../../../shared/settings/settings.ts'
import { openTempJournal } from '../../../support/temp-journal.ts'

const DAY_MS = 86_400_000
const { folders } = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec/hall', site: 'Hall 3' }],
})

/** The nights of a station that has recorded two files in each of the last `count` nights. */
const nightsAfter = (count: number) => {
  const nowMs = new Date(2026, 2, 12, 7, 42).getTime()
  const clock = { nowMs }
  const { journal, close } = openTempJournal(() => clock.nowMs)
  try {
    const [folder] = folders
    if (folder === undefined) throw new Error('a folder is needed')
    for (let night = 0; night < count; night += 1)
      for (const take of [1, 2]) {
        clock.nowMs = nowMs - night * DAY_MS
        const identity = {
          device: '1',
          inode: `${night}-${take}`,
          sizeBytes: 1_000,
          mtimeNs: '1',
          ctimeNs: '1',
        }
        const path = `/rec/hall/${night}-${take}.bin`
        journal.recordings.add({ path, identity }, folder, { findSessionFirst: false })
      }
    return nightFiguresOf(journal, folders, { service: null, sending: true }, nowMs)
  } finally {
    close()
  }
}

test.each([1, 2, 3, 7, 12, 30, 40])(
  'after %i nights, the overview shows all of them, but at most 30',
  (count) => {
    const nights = knownNights(nightsAfter(count).station)
    expect(nights).toHaveLength(Math.min(count, 30))
    for (const { recorded } of nights) expect(recorded).toBe(2)
  },
)

test('the words for a folder sum up its last seven nights, and name the number of nights', () => {
  const words = (count: number) => sevenNightsWords(nightsAfter(count).folders[0]?.nights ?? [])
  expect(words(0)).toBe('nothing yet')
  expect(words(1)).toBe('2 recordings, 2.0 kB in 1 night')
  expect(words(3)).toBe('6 recordings, 6.0 kB in 3 nights')
  expect(words(20)).toBe('14 recordings, 14.0 kB in seven nights')
})
