import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { arrivingMark, movedMark } from '../../main/local-files/moved-station.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import { AgentProcess } from '../support/station.ts'
import { openTempJournal } from '../support/temp-journal.ts'

/** Commands that only read, in a folder whose station `sluice service` has moved to a different folder. */

const createStation = (...recordings: readonly string[]): string => {
  const { journal, folder, close } = openTempJournal(Date.now)
  const [watched] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'lab' }] }).folders
  for (const name of recordings) {
    const identity = { device: '1', inode: name, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    journal.recordings.add({ path: `/rec/${name}`, identity }, watched!, { findSessionFirst: false })
  }
  onTestFinished(close)
  return folder
}

const run = async (...args: readonly string[]) => {
  const command = new AgentProcess([...args], { keepOutput: true })
  const code = await command.ended
  return { code, out: command.stdout, err: command.stderr }
}

const mark = (file: string, folder: string) => writeFileSync(file, JSON.stringify({ folder }))

test('status, activity, export and receipt read the new folder of a moved station, and name it', async () => {
  const [left, current] = [createStation('old.bin'), createStation('old.bin', 'new.bin')]
  mark(movedMark(left), current)
  const results = await Promise.all(
    [
      ['status'],
      ['status', '--json'],
      ['activity'],
      ['export', 'recordings'],
      ['receipt', '--since', '7d', '--format', 'csv'],
    ].map((args) => run(...args, '--data', left)),
  )
  for (const { code, out, err } of results) {
    expect(err).toBe(`The station of ${left} has moved to ${current}.\n`)
    expect(out).toContain('new.bin')
    expect(code).toBe(0)
  }
})

test('commands that only read refuse both folders of an unfinished move, and a folder whose station has moved twice', async () => {
  const [left, current] = [createStation('old.bin'), createStation('old.bin')]
  mark(movedMark(left), current)
  mark(arrivingMark(current), left)
  const unfinished = {
    code: 1,
    out: '',
    err: expect.stringContaining(`from ${left} to ${current} is not finished`),
  }
  expect(await run('status', '--data', left)).toEqual(unfinished)
  expect(await run('status', '--data', current)).toEqual(unfinished)
  rmSync(arrivingMark(current))
  const third = mkdtempSync(path.join(tmpdir(), 'sluice-third-'))
  onTestFinished(() => rmSync(third, { recursive: true, force: true }))
  mark(movedMark(current), third)
  expect(await run('receipt', '--since', '7d', '--data', left)).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`The station of ${current} has moved to ${third}.`),
  })
})
