import { expect, test } from 'vitest'
import { hasStation } from '../../../../main/local-files/has-station.ts'
import { openTempJournal } from '../../../support/temp-journal.ts'

test('a data folder has a station once its agent has watched a folder', () => {
  const { journal, folder, close } = openTempJournal(() => 1_000)
  expect(hasStation(folder)).toBe(false)
  journal.volumes.setVolume('/rec', { device: '1', inode: '1' }, 1_000)
  expect(hasStation(folder)).toBe(true)
  close()
})
