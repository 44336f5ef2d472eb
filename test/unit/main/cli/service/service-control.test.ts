import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../../../../../main/agent/journal/journal.ts'
import { uninstallService } from '../../../../../main/cli/service/service-control.ts'

let base: string
let from: string
let to: string
let uninstalls: number

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-uninstall-'))
  from = path.join(base, 'service')
  to = path.join(base, 'window')
  uninstalls = 0
  for (const folder of [from, to]) mkdirSync(folder)
  openJournal(from, Date.now).journal.close()
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const control = {
  uninstall: () => {
    uninstalls += 1
    return true
  },
}

test('`uninstall --to` removes the background service, then moves its station', () => {
  expect(uninstallService(control, { from, to })).toBe(true)
  expect(uninstalls).toBe(1)
  expect(existsSync(path.join(to, 'journal.db'))).toBe(true)
})

test.each([
  ['the target folder does not exist', () => rmSync(to, { recursive: true }), 'There is no folder'],
  [
    'the target folder already has a station',
    () => openJournal(to, Date.now).journal.close(),
    'already holds a station',
  ],
  [
    'the station has moved elsewhere',
    () => writeFileSync(path.join(from, 'moved.json'), '{"folder": "/home/anna"}'),
    'has moved to /home/anna',
  ],
  ['there is no station to move', () => rmSync(path.join(from, 'journal.db')), 'There is no station'],
])('`uninstall --to` does not stop the background service if %s', (_, prepare, sentence) => {
  prepare()
  expect(() => uninstallService(control, { from, to })).toThrow(sentence)
  expect(uninstalls).toBe(0)
})
