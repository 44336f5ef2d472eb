import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as commands from '../../main/agent/calls/commands.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import type { EventKind, RecordingEvent } from '../../main/agent/domain/states.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import type { RecordingState } from '../../shared/status/status.ts'
import { standingWords } from '../../shared/words/words.ts'
import { AgentProcess, Station } from '../support/station.ts'
import { openTempJournal } from '../support/temp-journal.ts'

test('status shows each recording and the headline in the words of the window', async () => {
  const { journal, folder: data, close } = openTempJournal(Date.now)
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'Hall 3' }] }).folders
  journal.station.setService('https://api.example.com')
  const addRecording = (name: string, end: 'processed' | 'processing-failed') => {
    const identity = { device: '1', inode: name, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    const { recordings } = journal
    const { id } = recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false })
    const step = (from: RecordingState, kind: EventKind) =>
      recordings.transition(id, from, { kind } as RecordingEvent, { reason: kind })
    const session = { sessionId: `ses_${name}`, service: 'https://api.example.com' }
    step('growing', 'settled')
    step('queued', 'hash-started')
    step('hashing', 'hashed')
    recordings.transition(id, 'ready', { kind: 'session-opened' }, { reason: 'opened', patch: session })
    step('uploading', 'parts-sent')
    step('completing', 'completed')
    const patch = end === 'processed' ? {} : { problem: problemOf('processing-failed') }
    return recordings.transition(id, 'processing', { kind: end }, { reason: end, patch })
  }
  addRecording('one.mcap', 'processed')
  const failed = addRecording('two.mcap', 'processing-failed')
  if (failed !== null) commands.dismiss(journal, failed)

  const status = new AgentProcess(['status', '--data', data], { keepOutput: true })
  await status.ended
  const lines = status.stdout.trim().split('\n')
  expect(lines[0]).toBe('1 of 2 recordings are safe')
  expect(lines[1]).toBe('1 dismissed')
  expect(lines[2]).toBe('')
  expect(lines[3]).toMatch(/^Safe .*one\.mcap$/)
  expect(lines[4]).toMatch(/^Dismissed .*two\.mcap$/)
  close()
})

test('a station without recordings has a headline too', async () => {
  const { folder: data, close } = openTempJournal(Date.now)
  const status = new AgentProcess(['status', '--data', data], { keepOutput: true })
  await status.ended
  expect(status.stdout).toBe('Ready for the first recording\n')
  close()
})

test('run prints the status of each recording in the words of the window, never as internal states', async () => {
  const station = await Station.open()
  try {
    writeFileSync(path.join(station.recordings, 'one.bin'), 'content')
    const run = new AgentProcess(
      ['run', '--settings', station.settingsFile, '--data', station.data, '--until-idle'],
      { keepOutput: true },
    )
    expect(await run.ended).toBe(0)
    const words = run.stdout
      .trim()
      .split('\n')
      .map((line) => line.slice('00:00:00  '.length).split('  ')[0])
    expect(words.at(0)).toBe('Recording')
    expect(words.at(-1)).toBe('Safe')
    const knownWords = Object.values(standingWords).map(({ word }) => word)
    for (const word of words) expect(knownWords).toContain(word)
    // An unchanged status is not printed twice.
    expect(new Set(words).size).toBe(words.length)
  } finally {
    await station.close()
  }
})

test.each([
  [
    { path: 'recordings', site: 'Hall 3' },
    'folders[0].path: Give the full path, starting at the root of the drive.',
  ],
  [{ path: path.resolve('recordings'), site: '' }, 'folders[0].site: This is required.'],
])('reports unusable settings at their field, in a sentence: %j', async (folder, sentence) => {
  const { folder: data, close } = openTempJournal(Date.now)
  const file = path.join(data, 'settings.json')
  writeFileSync(file, JSON.stringify({ service: { base_url: 'http://127.0.0.1:1' }, folders: [folder] }))
  const run = new AgentProcess(['run', '--settings', file, '--data', data, '--until-idle'], {
    keepOutput: true,
  })
  expect(await run.ended).toBe(1)
  expect(run.stderr).toBe(`sluice: ${sentence}\n`)
  close()
})

test('status shows tonight and the free space like the window, and the headline agrees', async () => {
  const HOUR_MS = 3_600_000
  const clock = { nowMs: Date.now() }
  const { journal, folder: data, close } = openTempJournal(() => clock.nowMs)
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'Hall 3' }] }).folders
  journal.station.setService('https://api.example.com')
  const nowMs = clock.nowMs
  for (let hours = 24; hours > 0; hours -= 1) {
    clock.nowMs = nowMs - hours * HOUR_MS
    journal.rates.addSent({ bytes: 3_600_000_000, seconds: 3_600, limitBytesPerSecond: null })
  }
  clock.nowMs = nowMs
  const identity = { device: '1', inode: '1', sizeBytes: 7_200_000_000, mtimeNs: '1', ctimeNs: '1' }
  const { id } = journal.recordings.add({ path: '/rec/a.mcap', identity }, folder!, {
    findSessionFirst: false,
  })
  journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'settled' })
  journal.station.saveOutlook({
    atMs: nowMs,
    transfer: { windows: [] },
    folders: ['/rec'],
    recent: { bytes: 0, seconds: 0, limitBytesPerSecond: null },
    driveSpace: [
      {
        name: '/rec',
        folders: ['/rec'],
        space: { totalBytes: 4e12, freeBytes: 1.1e12 },
        answering: true,
        safeBytes: 2.3e12,
        fills: { kind: 'nights', nights: 9 },
        low: false,
      },
    ],
  })

  const textStatus = new AgentProcess(['status', '--data', data], { keepOutput: true })
  await textStatus.ended
  const lines = textStatus.stdout.trim().split('\n')
  const doneAt = /^Time left: About ([\w ]*\d\d:\d\d)/.exec(lines[2] ?? '')?.[1]
  expect(lines[2]).toContain('7.2 GB left.')
  expect(lines[3]).toBe(
    'Disk space on /rec: 1.1 TB free. Full in about 9 nights if nothing is deleted. 2.3 TB is safe at the service and can be freed up.',
  )
  expect(lines.slice(0, 2)).toEqual([`Uploading, done about ${doneAt}`, '0 of 1 safe · 1 waiting'])

  const jsonStatus = new AgentProcess(['status', '--json', '--data', data], { keepOutput: true })
  await jsonStatus.ended
  const { station } = JSON.parse(jsonStatus.stdout)
  expect(station).toMatchObject({
    bytes_left: 7_200_000_000,
    forecast: { kind: 'known', bytes: 7_200_000_000, bytesShort: 0, deadline: null },
    drive_space: [{ name: '/rec', fills: { kind: 'nights', nights: 9 } }],
  })
  close()
})
