import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as commands from '../../main/agent/calls/commands.ts'
import { standingWords } from '../../shared/words/words.ts'
import { addRecording, statusLines } from '../support/recorded-status.ts'
import { AgentProcess, Station } from '../support/station.ts'
import { openTempJournal } from '../support/temp-journal.ts'

test('`status` shows each recording and the headline in the words of the window', async () => {
  const { journal, folder: data, close } = openTempJournal(Date.now)
  addRecording(journal, 'one.mcap', 'processed')
  const failed = addRecording(journal, 'two.mcap', 'processing-failed')
  if (failed !== null) commands.dismiss(journal, failed)

  const lines = await statusLines(data)
  expect(lines[0]).toBe('1 of 2 recordings are safe')
  expect(lines[1]).toBe('1 dismissed')
  expect(lines[2]).toBe('The agent is not running, so nothing is uploaded.')
  expect(lines[3]).toBe('')
  expect(lines[4]).toMatch(/^Safe .*one\.mcap$/)
  expect(lines[5]).toMatch(/^Dismissed .*two\.mcap$/)
  close()
})

test('a station without recordings has a headline too', async () => {
  const { folder: data, close } = openTempJournal(Date.now)
  const status = new AgentProcess(['status', '--data', data], { keepOutput: true })
  await status.ended
  expect(status.stdout).toBe(
    'Ready for the first recording\nThe agent is not running, so nothing is uploaded.\n',
  )
  close()
})

test('`run` prints the status of each recording in the words of the window, never as internal states', async () => {
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
    // `run` does not print an unchanged status again.
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
])('`run` reports an unusable setting with its name, in one sentence: %j', async (folder, sentence) => {
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
