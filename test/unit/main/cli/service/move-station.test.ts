import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../../../../../main/agent/journal/journal.ts'
import { takeAgentLock } from '../../../../../main/agent/journal/lock.ts'
import { withJournal } from '../../../../../main/cli/journal-commands.ts'
import { moveStation } from '../../../../../main/cli/service/move-station.ts'
import { pathsOf } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { needs, posix, root } from '../../../../support/needs.ts'

let base: string
const window = () => path.join(base, 'window')
const service = () => path.join(base, 'service')

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-move-'))
  mkdirSync(window())
  writeFileSync(path.join(window(), 'settings.json'), '{"folders": []}', { mode: 0o600 })
  writeFileSync(path.join(window(), 'agent-key.json'), '{}', { mode: 0o600 })
  writeFileSync(path.join(window(), 'Cookies'), 'of the window alone')
  writeFileSync(path.join(window(), 'key.bin'), 'of the keychain')
  record('/rec/one.bin', window())
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const paths = pathsOf(process.platform)

/** As an agent would, which is killed afterwards. */
const record = (file: string, folder: string): void => {
  const { journal } = openJournal(folder, Date.now, paths)
  const [settings] = settingsSchema.shape.folders.parse([{ path: '/rec', site: 'lab' }])
  const identity = { device: '1', inode: file, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  journal.recordings.add({ path: file, identity }, settings!, { findSessionFirst: false })
  journal.close()
}

const recordingsIn = (folder: string): readonly string[] =>
  withJournal(folder, ({ views }) => views.everything().map(({ path: file }) => file))

const mayStart = (folder: string): boolean => {
  if (!existsSync(path.join(folder, 'journal.db'))) return false
  try {
    takeAgentLock(folder).release()
    return true
  } catch {
    return false
  }
}

test('journal, settings and stored key move; the files of the window stay', () => {
  expect(moveStation(window(), service(), null)).toBe(true)
  expect(recordingsIn(service())).toEqual(['/rec/one.bin'])
  expect(readFileSync(path.join(service(), 'settings.json'), 'utf8')).toBe('{"folders": []}')
  expect(existsSync(path.join(service(), 'agent-key.json'))).toBe(true)
  expect(existsSync(path.join(service(), 'Cookies'))).toBe(false)
  expect(existsSync(path.join(service(), 'key.bin'))).toBe(false)
  expect(() => takeAgentLock(window())).toThrow(`has moved to ${service()}`)
  expect(moveStation(window(), service(), null)).toBe(false)
})

test('a station moves back with all that it recorded meanwhile', () => {
  moveStation(window(), service(), null)
  record('/rec/two.bin', service())
  expect(moveStation(service(), window(), null)).toBe(true)
  expect(recordingsIn(window())).toEqual(['/rec/one.bin', '/rec/two.bin'])
  expect(mayStart(window())).toBe(true)
  expect(mayStart(service())).toBe(false)
})

test('a move that is interrupted at any step loses nothing, starts no second agent, and can be repeated', () => {
  const steps: string[] = []
  moveStation(window(), service(), null, (what) => steps.push(what))
  moveStation(service(), window(), null)
  expect(steps.length).toBeGreaterThan(8)
  for (const [at, last] of steps.entries()) {
    let turn = 0
    const interrupted = () =>
      moveStation(window(), service(), null, () => {
        if (turn === at) throw new Error('killed')
        turn += 1
      })
    expect(interrupted, last).toThrow('killed')
    expect([mayStart(window()), mayStart(service())].filter(Boolean).length, last).toBeLessThan(2)
    moveStation(window(), service(), null)
    expect(recordingsIn(service()), last).toEqual(['/rec/one.bin'])
    expect([mayStart(window()), mayStart(service())], last).toEqual([false, true])
    moveStation(service(), window(), null)
  }
})

test('the opposite move of an interrupted one is refused, because it could bring back an older journal', () => {
  moveStation(window(), service(), null)
  record('/rec/two.bin', service())
  const steps: string[] = []
  const back = () =>
    moveStation(service(), window(), null, (what) => {
      steps.push(what)
      if (steps.length === 3) throw new Error('killed')
    })
  expect(back).toThrow('killed')
  expect(() => moveStation(window(), service(), null)).toThrow('is not finished')
  expect(recordingsIn(service())).toEqual(['/rec/one.bin', '/rec/two.bin'])
  moveStation(service(), window(), null)
  expect(recordingsIn(window())).toEqual(['/rec/one.bin', '/rec/two.bin'])
})

test('nothing moves while an agent runs, without a station, or onto a different station', () => {
  const lock = takeAgentLock(window())
  expect(() => moveStation(window(), service(), null)).toThrow('Another Sluice agent already uses')
  lock.release()
  expect(() => moveStation(path.join(base, 'none'), service(), null)).toThrow('There is no station')
  mkdirSync(service(), { recursive: true })
  record('/rec/other.bin', service())
  expect(() => moveStation(window(), service(), null)).toThrow('already holds a station')
  expect(recordingsIn(service())).toEqual(['/rec/other.bin'])
})

test('what moves belongs to the account of the service', needs(posix, root), () => {
  moveStation(window(), service(), { uid: 65_534, gid: 65_533 })
  for (const name of ['', 'agent.lock', 'journal.db', 'settings.json', 'agent-key.json'])
    expect(statSync(path.join(service(), name))).toMatchObject({ uid: 65_534, gid: 65_533 })
})
