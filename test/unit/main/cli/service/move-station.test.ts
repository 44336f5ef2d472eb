import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '../../../../../main/agent/journal/journal.ts'
import { takeAgentLock } from '../../../../../main/agent/journal/lock.ts'
import { withJournal } from '../../../../../main/cli/journal-commands.ts'
import { moveStation } from '../../../../../main/cli/service/move-station.ts'
import { pathsOf } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { linux, needs, root } from '../../../../support/needs.ts'

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

/** Adds a recording to the journal, like an agent. */
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

test('a station moves back with everything recorded meanwhile', () => {
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
  expect(() => moveStation(window(), service(), null)).toThrow(
    'is not finished. Repeat the command that started it',
  )
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

const ANNA = 65_533
const SERVICE = { uid: 65_534, gid: 65_534 }

const giveTo = (uid: number, folder: string): void => {
  chownSync(folder, uid, uid)
  for (const name of readdirSync(folder)) lchownSync(path.join(folder, name), uid, uid)
}

describe('root moves a station of another user', needs(linux, root), () => {
  let rootFolder: string
  const victim = () => path.join(rootFolder, 'settings.json')

  beforeEach(() => {
    chmodSync(base, 0o755)
    giveTo(ANNA, window())
    rootFolder = path.join(base, 'of-root')
    mkdirSync(rootFolder, { mode: 0o700 })
    writeFileSync(victim(), 'a secret of root', { mode: 0o600 })
  })

  /** The move must never read, change or give away a file of root. */
  const expectUntouched = (what: string): void => {
    expect(readdirSync(rootFolder), what).toEqual(['settings.json'])
    expect(readFileSync(victim(), 'utf8'), what).toBe('a secret of root')
    for (const file of [rootFolder, victim()]) expect(statSync(file), what).toMatchObject({ uid: 0, gid: 0 })
    for (const folder of [window(), service(), path.join(service(), 'incoming')])
      if (existsSync(path.join(folder, 'settings.json')) && !isLink(folder))
        expect(textOf(path.join(folder, 'settings.json')), what).not.toContain('a secret of root')
  }
  const isLink = (file: string) => lstatSync(file).isSymbolicLink()
  const textOf = (file: string) => (isLink(file) ? '' : readFileSync(file, 'utf8'))

  const plant = (file: string, target: string): void => {
    rmSync(file, { recursive: true, force: true })
    symlinkSync(target, file)
    lchownSync(file, ANNA, ANNA)
  }
  const plants = {
    'the lock': (folder: string) => plant(path.join(folder, 'agent.lock'), victim()),
    'the settings': (folder: string) => plant(path.join(folder, 'settings.json'), victim()),
    'the folder of the copy': (folder: string) => plant(path.join(folder, 'incoming'), rootFolder),
    'the marker of an arriving station': (folder: string) =>
      plant(path.join(folder, 'arriving.json.new'), victim()),
    'the folder itself': (folder: string) => plant(folder, rootFolder),
  }

  const stepsOf = (): number => {
    let count = 0
    moveStation(window(), service(), SERVICE, () => {
      count += 1
    })
    moveStation(service(), window(), null)
    return count
  }

  test('to the service and back, and each file belongs to the user of its folder', () => {
    moveStation(window(), service(), SERVICE)
    for (const name of ['', 'agent.lock', 'journal.db', 'settings.json', 'agent-key.json'])
      expect(statSync(path.join(service(), name)), name).toMatchObject(SERVICE)
    expect(statSync(path.join(window(), 'moved.json')).uid).toBe(ANNA)
    moveStation(service(), window(), null)
    for (const name of ['', 'agent.lock', 'journal.db', 'settings.json', 'agent-key.json'])
      expect(statSync(path.join(window(), name)), name).toMatchObject({ uid: ANNA, gid: ANNA })
    expect(recordingsIn(window())).toEqual(['/rec/one.bin'])
    expect(process.geteuid?.()).toBe(0)
  })

  test.each(Object.keys(plants) as (keyof typeof plants)[])(
    'a link that the user plants as %s during the move never reaches a file of root',
    (what) => {
      const steps = stepsOf()
      for (let at = 0; at < steps; at += 1)
        for (const isBack of [false, true]) {
          rmSync(window(), { recursive: true, force: true })
          rmSync(service(), { recursive: true, force: true })
          mkdirSync(window())
          writeFileSync(path.join(window(), 'settings.json'), '{"folders": []}', { mode: 0o600 })
          record('/rec/one.bin', window())
          giveTo(ANNA, window())
          if (isBack) moveStation(window(), service(), SERVICE)
          let turn = 0
          const step = () => {
            if (turn === at) plants[what](window())
            turn += 1
          }
          try {
            if (isBack) moveStation(service(), window(), null, step)
            else moveStation(window(), service(), SERVICE, step)
          } catch {
            // The move may stop, but it must not act on the target of the link.
          }
          expectUntouched(`${what}, step ${at}, ${isBack ? 'back' : 'there'}`)
        }
    },
  )

  test('only if no other user can change the path', () => {
    const shared = path.join(window(), 'shared')
    mkdirSync(shared)
    chownSync(shared, SERVICE.uid, SERVICE.gid)
    expect(() => moveStation(service(), shared, null)).toThrow('Several users can change')
  })

  test('a folder that root has used before is given to the account of the service', () => {
    mkdirSync(service())
    takeAgentLock(service()).release()
    moveStation(window(), service(), SERVICE)
    expect(statSync(path.join(service(), 'agent.lock'))).toMatchObject(SERVICE)
    expect(recordingsIn(service())).toEqual(['/rec/one.bin'])
  })
})
