import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { StatusReport } from '../../main/agent/status/status-report.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { linux, needs } from '../support/needs.ts'
import { addRecording, statusLines } from '../support/recorded-status.ts'
import { AgentProcess, Station, until } from '../support/station.ts'
import { openTempJournal } from '../support/temp-journal.ts'

test('until the next check, status shows why a file that is due for removal stays', async () => {
  const { journal, folder: data, close } = openTempJournal(Date.now)
  const [stuck, full, alsoFull, gone] = ['stuck', 'full', 'also-full', 'gone'].map(
    (name) => addRecording(journal, `${name}.mcap`, 'processed')!,
  )
  journal.removals.wait(stuck!, 'name-hidden')
  journal.removals.wait(full!, 'target-full')
  journal.removals.wait(alsoFull!, 'target-full')
  journal.removals.wait(gone!, 'file-gone')
  const staysLines = (lines: readonly string[]) => lines.filter((line) => line.includes('stays on this PC'))
  expect(staysLines(await statusLines(data))).toEqual([
    'stuck.mcap stays on this PC. Sluice renamed the file to remove it, and can neither remove it nor restore its name now.',
    expect.stringMatching(
      /^(also-)?full\.mcap stays on this PC\. The target folder is full\. \(2 recordings\)$/,
    ),
  ])
  const { station, recordings } = JSON.parse((await statusLines(data, '--json'))[0]!) as StatusReport
  expect(station.staying.map(({ reason, count }) => [reason, count])).toEqual([
    ['name-hidden', 1],
    ['target-full', 2],
  ])
  expect(recordings.map(({ stays_because }) => stays_because)).toEqual([
    'Sluice renamed the file to remove it, and can neither remove it nor restore its name now.',
    'The target folder is full.',
    'The target folder is full.',
    null,
  ])
  journal.removals.retryHeld()
  expect(staysLines(await statusLines(data))).toEqual([])
  close()
})

test('status shows which file a take waits for', needs(linux), async () => {
  const station = await Station.open()
  station.configure({ folder: { take: 'folder' } })
  const take = path.join(station.recordings, 'run')
  mkdirSync(take)
  writeFileSync(path.join(take, 'a.bin'), 'finished')
  const writer = openSync(path.join(take, 'b.bin'), 'w')
  try {
    const agent = station.agent()
    await waitForJournal(station.data, 'both files are found', 'SELECT 1 FROM recordings LIMIT 1 OFFSET 1')
    const waiting = await until('the finished file waits', async () => {
      const { recordings } = await station.status()
      return (recordings as StatusReport['recordings']).find(({ waits_for }) => waits_for !== null) ?? false
    })
    expect(waiting).toMatchObject({ path: path.join(take, 'a.bin'), waits_for: 'b.bin' })
    const { out } = await station.command('status')
    expect(out.split('\n').map((line) => line.trim())).toContain('Waiting for b.bin')
    writeSync(writer, 'finished too')
    closeSync(writer)
    await until('no file waits', async () => {
      const { recordings } = await station.status()
      return (recordings as StatusReport['recordings']).every(({ waits_for }) => waits_for === null)
    })
    await agent.kill('SIGTERM')
  } finally {
    await station.close()
  }
})

test('status shows the time left, the free space, and the same end time in the headline', async () => {
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
