import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test.each([
  ['Notepad, UTF-8 with a BOM', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf8')],
  ['PowerShell, UTF-16 LE with a BOM', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  [
    'PowerShell, UTF-16 LE with Windows line endings',
    (text: string) => Buffer.from(`\uFEFF${text}\r\n`, 'utf16le'),
  ],
])('reads settings written by %s', async (_program, encode) => {
  station = await Station.open()
  await writeRandomFile(path.join(station.recordings, 'take.bin'), 800, seeded(5))
  writeFileSync(station.settingsFile, encode(readFileSync(station.settingsFile, 'utf8')))
  const agent = station.agent('--until-idle')
  expect([await agent.ended, agent.stderr]).toEqual([0, ''])
  await station.expectAllSafe()
})

test('reports the line in which the settings have a path with single backslashes', async () => {
  station = await Station.open()
  writeFileSync(station.settingsFile, '{\n  "folders": [{ "path": "D:\\Sluice" }]\n}')
  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(1)
  expect(agent.stderr).toMatch(/line 2/)
  expect(agent.stderr).not.toMatch(/^\s+at /m)
})
