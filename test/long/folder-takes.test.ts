import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { mcapFile } from '../contract/sample-files.ts'
import { readJournal, waitForJournal } from '../support/journal-file.ts'
import { Station } from '../support/station.ts'

/** Runs the agent and the sandbox as processes. Each folder below the watched folder is one take. */

let station: Station
afterEach(() => station.close())

const FOLDER_TAKES = { take: 'folder' }
const DELETE = { after_upload: { action: 'delete', days: 0 } }
const metadata = (files: number) => `rosbag2_bagfile_information:
  version: 5
  storage_identifier: mcap
  duration:
    nanoseconds: 10000000000
  starting_time:
    nanoseconds_since_epoch: 1700000000000000000
  message_count: 20
  topics_with_message_count:
    - topic_metadata:
        name: /camera_front/image
        type: sensor_msgs/msg/Image
      message_count: 20
  relative_file_paths:
${Array.from({ length: files }, (_, n) => `    - bag_${n}.mcap`).join('\n')}
`
const inBag = (name: string) => path.join(station.recordings, 'bag', name)
const bagFiles = () =>
  readdirSync(path.join(station.recordings, 'bag')).filter((name) => !name.startsWith('.'))
const writeSplit = async (n: number, cutTo = 1) => {
  const bytes = await mcapFile({ startMs: 1_700_000_000_000 + n * 60_000 })
  writeFileSync(inBag(`bag_${n}.mcap`), bytes.subarray(0, Math.floor(bytes.length * cutTo)))
}
const openStation = async (folder: object = {}) => {
  station = await Station.openLive()
  station.configure({ folder: { ...FOLDER_TAKES, ...folder } })
  mkdirSync(path.join(station.recordings, 'bag'))
}
const processed = (count: number) =>
  waitForJournal(
    station.data,
    `${count} files are processed`,
    `SELECT 1 WHERE (SELECT COUNT(*) FROM recordings WHERE state = 'processed') = ${count}`,
  )
const creations = async () => (await station.stats()).routes.create ?? 0

test('a rosbag2 folder becomes processed as one take, also after kill -9, with one session per file', async () => {
  await openStation({ notes: 'arm 2' })
  let agent = station.agent()
  await writeSplit(0)
  await waitForJournal(station.data, 'the first file is found', 'SELECT 1 FROM recordings')
  await writeSplit(1)
  await waitForJournal(
    station.data,
    'both files are found',
    'SELECT 1 WHERE (SELECT COUNT(*) FROM recordings) = 2',
  )
  expect(await creations()).toBe(0)
  writeFileSync(inBag('metadata.yaml'), metadata(2))
  await waitForJournal(
    station.data,
    'an upload began',
    "SELECT 1 FROM recordings WHERE state IN ('uploading', 'completing', 'processing', 'processed')",
  )
  await agent.kill()
  agent = station.agent()
  await processed(3)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(3)
  // This count may be above 3, because the second agent repeats a creation that the kill cut off.
  const creationsAfterKill = await creations()
  const { recordings } = await station.status()
  expect(recordings).toEqual(
    ['bag_0.mcap', 'bag_1.mcap', 'metadata.yaml'].map((name) =>
      expect.objectContaining({ path: inBag(name), take: 'bag', state: 'processed' }),
    ),
  )
  const notes = await Promise.all(
    (await station.sessions()).map(async ({ id }) => {
      const session = (await (await station.api(`/v1/sessions/${id}`)).json()) as { readonly notes: string }
      return session.notes
    }),
  )
  const line = JSON.stringify({
    take: { name: 'bag', files: 3, members: ['bag_0.mcap', 'bag_1.mcap', 'metadata.yaml'] },
  })
  expect(new Set(notes)).toEqual(new Set([`arm 2\n\n${line}`]))

  // A file that is added later gets its own session.
  writeFileSync(inBag('calibration.json'), '{"camera": 1}')
  await processed(4)
  // The new content of a changed file gets its own session.
  writeFileSync(inBag('calibration.json'), '{"camera": 2, "fixed": true}')
  await processed(5)
  expect(await creations()).toBe(creationsAfterKill + 2)
  expect(await station.sessions()).toHaveLength(5)
  await agent.kill()
})

test('all files of a take stay while one has failed, and are deleted together once the take is safe', async () => {
  await openStation(DELETE)
  const agent = station.agent()
  await writeSplit(0)
  await writeSplit(1, 0.6)
  writeFileSync(inBag('metadata.yaml'), metadata(2))
  await waitForJournal(
    station.data,
    'one file failed and two are processed',
    `SELECT 1 WHERE (SELECT COUNT(*) FROM recordings WHERE state = 'processed') = 2
       AND (SELECT COUNT(*) FROM recordings WHERE state = 'failed') = 1`,
  )
  await agent.kill()
  // This run starts the remover at once, and ends when no removal is due.
  await station.runToIdle()
  expect(bagFiles()).toEqual(['bag_0.mcap', 'bag_1.mcap', 'metadata.yaml'])
  expect(readJournal(station.data, 'SELECT 1 FROM recordings WHERE removed_at IS NOT NULL')).toEqual([])
  await writeSplit(1)
  await station.runToIdle()
  expect(bagFiles()).toEqual([])
})

test('if a file vanishes before its upload, Sluice removes no other file of its take', async () => {
  await openStation(DELETE)
  await writeSplit(0)
  await writeSplit(1)
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'both files are found',
    'SELECT 1 WHERE (SELECT COUNT(*) FROM recordings) = 2',
  )
  rmSync(inBag('bag_1.mcap'))
  await waitForJournal(station.data, 'the file is gone', "SELECT 1 FROM recordings WHERE state = 'gone'")
  writeFileSync(inBag('metadata.yaml'), metadata(1))
  await processed(2)
  await agent.kill()
  await station.runToIdle()
  expect(bagFiles()).toEqual(['bag_0.mcap', 'metadata.yaml'])
})
