import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../../../../main/agent/journal/journal.ts'
import { sluice } from '../../../support/typed-command.ts'

let dataFolder: string
beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'sluice-commands-'))
  mkdirSync(path.join(dataFolder, 'try-out'))
  for (const folder of [dataFolder, path.join(dataFolder, 'try-out')])
    openJournal(folder, Date.now).journal.close()
  writeFileSync(path.join(dataFolder, 'sandbox.json'), '{"port":8123}')
})
afterEach(() => rmSync(dataFolder, { recursive: true }))

const useService = (base_url: string) =>
  writeFileSync(
    path.join(dataFolder, 'settings.json'),
    JSON.stringify({
      service: { base_url },
      folders: [{ path: path.join(dataFolder, 'rec'), site: 'Hall 3' }],
    }),
    { mode: 0o600 },
  )

const isPaused = (folder: string): boolean => {
  const { journal } = openJournal(folder, Date.now)
  try {
    return journal.station.currentPause() !== null
  } finally {
    journal.close()
  }
}

const readPauses = () => ({
  station: isPaused(dataFolder),
  tryOut: isPaused(path.join(dataFolder, 'try-out')),
})

test('during a try-out, `pause` and `status` act on the try-out, as the window does, and `pause` reports this', async () => {
  useService('http://127.0.0.1:8123')
  const pause = await sluice('pause', '--data', dataFolder)
  expect([pause.code, readPauses()]).toEqual([0, { station: false, tryOut: true }])
  expect(pause.err).toContain('This station is being tried out')
  const status = await sluice('status', '--data', dataFolder, '--json')
  expect(JSON.parse(status.out)).toMatchObject({ station: { paused: true } })
  expect(status.err).toBe('')
})

test('for a station with a real service, `pause` acts on the station itself', async () => {
  useService('https://api.example.com')
  const { code, err } = await sluice('pause', '--data', dataFolder)
  expect([code, err, readPauses()]).toEqual([0, '', { station: true, tryOut: false }])
})

test('during a try-out, a command that needs the service explains that only the window has the key', async () => {
  useService('http://localhost:8123')
  const { code, err } = await sluice('sessions', 'list', '--data', dataFolder)
  expect(code).toBe(1)
  expect(err.replaceAll(/\s+/g, ' ')).toContain('only the window knows the key of the built-in sandbox')
})

test('if the settings cannot be read, `pause` acts on the station itself', async () => {
  writeFileSync(path.join(dataFolder, 'settings.json'), '{ broken', { mode: 0o600 })
  expect((await sluice('pause', '--data', dataFolder)).code).toBe(0)
  expect(readPauses()).toEqual({ station: true, tryOut: false })
})
