import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { waitForJournal } from '../support/journal-file.ts'
import { linksToFolders, needs } from '../support/needs.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test(
  'a watched folder that became a link to a different folder is not scanned',
  needs(linksToFolders),
  async () => {
    station = await Station.open()
    writeFileSync(path.join(station.recordings, 'ours.bin'), 'ours')
    station.agent()
    await waitForJournal(
      station.data,
      'ours is processed',
      "SELECT 1 FROM recordings WHERE state = 'processed'",
    )

    const outside = `${station.recordings}-outside`
    mkdirSync(outside)
    writeFileSync(path.join(outside, 'secret.bin'), 'secret')
    renameSync(station.recordings, `${station.recordings}-before`)
    symlinkSync(outside, station.recordings)
    await waitForJournal(
      station.data,
      'the folder is replaced',
      "SELECT 1 FROM folder_states WHERE state = 'replaced'",
    )
    const { recordings } = await station.status()
    expect(recordings.map((recording) => path.basename(recording.path))).toEqual(['ours.bin'])
  },
)
