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
import { openJournal } from '../../main/agent/journal/journal.ts'
import { takeAgentLock } from '../../main/agent/journal/lock.ts'
import { changeJournal, withJournal } from '../../main/cli/journal-commands.ts'
import { moveStation } from '../../main/cli/service/move-station.ts'
import { movedMark } from '../../main/local-files/moved-station.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { linux, needs, root } from '../support/needs.ts'
import { sluice } from '../support/typed-command.ts'

let base: string
const windowFolder = () => path.join(base, 'window')
const serviceFolder = () => path.join(base, 'service')

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-move-'))
  mkdirSync(windowFolder())
  writeFileSync(path.join(windowFolder(), 'settings.json'), '{"folders": []}', { mode: 0o600 })
  writeFileSync(path.join(windowFolder(), 'agent-key.json'), '{}', { mode: 0o600 })
  writeFileSync(path.join(windowFolder(), 'first-seen.json'), '[]\n', { mode: 0o600 })
  writeFileSync(path.join(windowFolder(), 'Cookies'), 'only for the window')
  writeFileSync(path.join(windowFolder(), 'key.bin'), 'from the keychain')
  addRecording('/rec/one.bin', windowFolder())
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const paths = pathsOf(process.platform)

const addRecording = (file: string, folder: string): void => {
  const { journal } = openJournal(folder, Date.now, paths)
  const [settings] = settingsSchema.shape.folders.parse([{ path: '/rec', site: 'lab' }])
  const identity = { device: '1', inode: file, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  journal.recordings.add({ path: file, identity }, settings!, { findSessionFirst: false })
  journal.close()
}

const recordingsIn = (folder: string): readonly string[] =>
  withJournal(folder, ({ views }) => views.everything().map(({ path: file }) => file))

const canStart = (folder: string): boolean => {
  if (!existsSync(path.join(folder, 'journal.db'))) return false
  try {
    takeAgentLock(folder).release()
    return true
  } catch {
    return false
  }
}

test('journal, settings and stored key move; the files of the window stay', () => {
  expect(moveStation(windowFolder(), serviceFolder(), null)).toBe(true)
  expect(recordingsIn(serviceFolder())).toEqual(['/rec/one.bin'])
  expect(readFileSync(path.join(serviceFolder(), 'settings.json'), 'utf8')).toBe('{"folders": []}')
  expect(existsSync(path.join(serviceFolder(), 'agent-key.json'))).toBe(true)
  expect(existsSync(path.join(serviceFolder(), 'first-seen.json'))).toBe(true)
  expect(existsSync(path.join(serviceFolder(), 'Cookies'))).toBe(false)
  expect(existsSync(path.join(serviceFolder(), 'key.bin'))).toBe(false)
  expect(() => takeAgentLock(windowFolder())).toThrow(`has moved to ${serviceFolder()}`)
  expect(moveStation(windowFolder(), serviceFolder(), null)).toBe(false)
})

test('a station moves back with all recordings that were added meanwhile', () => {
  moveStation(windowFolder(), serviceFolder(), null)
  addRecording('/rec/two.bin', serviceFolder())
  expect(moveStation(serviceFolder(), windowFolder(), null)).toBe(true)
  expect(recordingsIn(windowFolder())).toEqual(['/rec/one.bin', '/rec/two.bin'])
  expect(canStart(windowFolder())).toBe(true)
  expect(canStart(serviceFolder())).toBe(false)
})

test('a move that is interrupted at any step loses nothing, never lets both folders start an agent, and can be repeated', () => {
  const steps: string[] = []
  moveStation(windowFolder(), serviceFolder(), null, (what) => steps.push(what))
  moveStation(serviceFolder(), windowFolder(), null)
  expect(steps.length).toBeGreaterThan(8)
  for (const [stepIndex, stepName] of steps.entries()) {
    let currentStep = 0
    const interruptMove = () =>
      moveStation(windowFolder(), serviceFolder(), null, () => {
        if (currentStep === stepIndex) throw new Error('killed')
        currentStep += 1
      })
    expect(interruptMove, stepName).toThrow('killed')
    expect(
      [canStart(windowFolder()), canStart(serviceFolder())].filter(Boolean).length,
      stepName,
    ).toBeLessThan(2)
    moveStation(windowFolder(), serviceFolder(), null)
    expect(recordingsIn(serviceFolder()), stepName).toEqual(['/rec/one.bin'])
    expect([canStart(windowFolder()), canStart(serviceFolder())], stepName).toEqual([false, true])
    moveStation(serviceFolder(), windowFolder(), null)
  }
})

test('after an interrupted move, the opposite move is refused, because it could restore an older journal', () => {
  moveStation(windowFolder(), serviceFolder(), null)
  addRecording('/rec/two.bin', serviceFolder())
  const steps: string[] = []
  const interruptMoveBack = () =>
    moveStation(serviceFolder(), windowFolder(), null, (what) => {
      steps.push(what)
      if (steps.length === 3) throw new Error('killed')
    })
  expect(interruptMoveBack).toThrow('killed')
  expect(() => moveStation(windowFolder(), serviceFolder(), null)).toThrow(
    'is not finished. Repeat the command that started it',
  )
  expect(recordingsIn(serviceFolder())).toEqual(['/rec/one.bin', '/rec/two.bin'])
  moveStation(serviceFolder(), windowFolder(), null)
  expect(recordingsIn(windowFolder())).toEqual(['/rec/one.bin', '/rec/two.bin'])
})

test('a move is refused while an agent runs, without a station, or if the target already has a station', () => {
  const lock = takeAgentLock(windowFolder())
  expect(() => moveStation(windowFolder(), serviceFolder(), null)).toThrow(
    'Another Sluice agent already uses',
  )
  lock.release()
  expect(() => moveStation(path.join(base, 'none'), serviceFolder(), null)).toThrow('There is no station')
  mkdirSync(serviceFolder(), { recursive: true })
  addRecording('/rec/other.bin', serviceFolder())
  expect(() => moveStation(windowFolder(), serviceFolder(), null)).toThrow('already holds a station')
  expect(recordingsIn(serviceFolder())).toEqual(['/rec/other.bin'])
})

test('a station that has moved is not copied a second time, and the refusal names its new folder', () => {
  const otherFolder = path.join(base, 'other')
  moveStation(windowFolder(), serviceFolder(), null)
  expect(() => moveStation(windowFolder(), otherFolder, null)).toThrow(
    `The station of ${windowFolder()} has moved to ${serviceFolder()}. Move it from there.`,
  )
  expect(existsSync(otherFolder)).toBe(false)
  moveStation(serviceFolder(), otherFolder, null)
  expect(() => moveStation(windowFolder(), serviceFolder(), null)).toThrow(`has moved to ${otherFolder}`)
  expect([windowFolder(), serviceFolder(), otherFolder].map(canStart)).toEqual([false, false, true])
})

test('a move is refused if another move of the station finishes before this one has locked the folders', () => {
  const otherFolder = path.join(base, 'other')
  const moveLate = () =>
    moveStation(windowFolder(), otherFolder, null, (what) => {
      if (what === 'lock both folders') moveStation(windowFolder(), serviceFolder(), null)
    })
  expect(moveLate).toThrow(`has moved to ${serviceFolder()}`)
  expect([serviceFolder(), otherFolder].map(canStart)).toEqual([true, false])
})

test('while a move is unfinished, a different station cannot move to the same folder', () => {
  const interruptMove = () =>
    moveStation(windowFolder(), serviceFolder(), null, (what) => {
      if (what.startsWith('copy')) throw new Error('killed')
    })
  expect(interruptMove).toThrow('killed')
  const otherFolder = path.join(base, 'other')
  mkdirSync(otherFolder)
  addRecording('/rec/other.bin', otherFolder)
  expect(() => moveStation(otherFolder, serviceFolder(), null)).toThrow('is not finished')
  moveStation(windowFolder(), serviceFolder(), null)
  expect(recordingsIn(serviceFolder())).toEqual(['/rec/one.bin'])
})

test('if two folders name each other as the new folder after a power failure, a repeated move repairs them', () => {
  moveStation(windowFolder(), serviceFolder(), null)
  writeFileSync(movedMark(serviceFolder()), JSON.stringify({ folder: windowFolder() }))
  expect([canStart(windowFolder()), canStart(serviceFolder())]).toEqual([false, false])
  moveStation(windowFolder(), serviceFolder(), null)
  expect([canStart(windowFolder()), canStart(serviceFolder())]).toEqual([false, true])
  expect(recordingsIn(serviceFolder())).toEqual(['/rec/one.bin'])
})

test('if the new folder already has settings, the move is refused, and the settings stay', () => {
  mkdirSync(serviceFolder())
  writeFileSync(path.join(serviceFolder(), 'settings.json'), '{"folders": [], "app": {}}')
  expect(() => moveStation(windowFolder(), serviceFolder(), null)).toThrow(
    `${serviceFolder()} already holds a station: settings.json. Remove these files`,
  )
  expect(readFileSync(path.join(serviceFolder(), 'settings.json'), 'utf8')).toBe('{"folders": [], "app": {}}')
  expect(canStart(windowFolder())).toBe(true)
})

describe('a command that changes the station', () => {
  const changes: readonly (readonly string[])[] = [
    ['pause'],
    ['resume'],
    ['retry', '/rec/one.bin'],
    ['prioritise', '/rec/one.bin'],
    ['dismiss', '--all'],
    ['upload-now'],
    ['accept-key'],
    ['rollback', '--yes'],
    ['sessions delete', 'ses_1', '--yes'],
    ['webhook', 'https://hooks.example.com/webhooks'],
    ['run', '--until-idle'],
  ]
  /**
   * Every file of the folder with its content, except the journal's WAL and shared memory, which readers also create.
   */
  const contentOf = (folder: string) =>
    readdirSync(folder)
      .filter((name) => !/-(?:shm|wal)$/.test(name))
      .map((name) => [name, readFileSync(path.join(folder, name)).toString('base64')])

  test.each(changes)('is refused in the old folder: %s', async (...words) => {
    moveStation(windowFolder(), serviceFolder(), null)
    const before = contentOf(windowFolder())
    const { code, err } = await sluice(...words.flatMap((word) => word.split(' ')), '--data', windowFolder())
    expect(err).toContain(`has moved to ${serviceFolder()}. Use that data folder.`)
    expect(code).toBe(1)
    expect(contentOf(windowFolder())).toEqual(before)
  })

  test.each(changes)('is refused in a new folder that is not complete: %s', async (...words) => {
    const interruptMove = () =>
      moveStation(windowFolder(), serviceFolder(), null, (what) => {
        if (what === 'open the new folder') throw new Error('killed')
      })
    expect(interruptMove).toThrow('killed')
    const before = contentOf(serviceFolder())
    const { code, err } = await sluice(...words.flatMap((word) => word.split(' ')), '--data', serviceFolder())
    expect(err).toContain('is not finished')
    expect(code).toBe(1)
    expect(contentOf(serviceFolder())).toEqual(before)
  })

  test('blocks a move until it has written its change', () => {
    const moveMeanwhile = () => moveStation(windowFolder(), serviceFolder(), null)
    changeJournal(windowFolder(), ({ station }) => {
      expect(moveMeanwhile).toThrow('locked')
      station.pause(null)
    })
    moveMeanwhile()
    expect(withJournal(serviceFolder(), ({ station }) => station.currentPause())).not.toBeNull()
  })
})

const ANNA_UID = 65_533
const SERVICE_OWNER = { uid: 65_534, gid: 65_534 }

const chownTree = (uid: number, folder: string): void => {
  chownSync(folder, uid, uid)
  for (const name of readdirSync(folder)) lchownSync(path.join(folder, name), uid, uid)
}

describe('root moves a station of another user', needs(linux, root), () => {
  let rootFolder: string
  const rootFile = () => path.join(rootFolder, 'settings.json')

  beforeEach(() => {
    chmodSync(base, 0o755)
    chownTree(ANNA_UID, windowFolder())
    rootFolder = path.join(base, 'of-root')
    mkdirSync(rootFolder, { mode: 0o700 })
    writeFileSync(rootFile(), 'a secret of root', { mode: 0o600 })
  })

  /** Checks that the move has not copied, changed or added a file of root, and has not changed an owner. */
  const expectUntouched = (what: string): void => {
    expect(readdirSync(rootFolder), what).toEqual(['settings.json'])
    expect(readFileSync(rootFile(), 'utf8'), what).toBe('a secret of root')
    for (const file of [rootFolder, rootFile()])
      expect(statSync(file), what).toMatchObject({ uid: 0, gid: 0 })
    for (const folder of [windowFolder(), serviceFolder(), path.join(serviceFolder(), 'incoming')])
      if (existsSync(path.join(folder, 'settings.json')) && !isLink(folder))
        expect(textOf(path.join(folder, 'settings.json')), what).not.toContain('a secret of root')
  }
  const isLink = (file: string) => lstatSync(file).isSymbolicLink()
  const textOf = (file: string) => (isLink(file) ? '' : readFileSync(file, 'utf8'))

  const plant = (file: string, target: string): void => {
    rmSync(file, { recursive: true, force: true })
    symlinkSync(target, file)
    lchownSync(file, ANNA_UID, ANNA_UID)
  }
  const plantLinks = {
    'the lock': (folder: string) => plant(path.join(folder, 'agent.lock'), rootFile()),
    'the settings': (folder: string) => plant(path.join(folder, 'settings.json'), rootFile()),
    'the folder of the copy': (folder: string) => plant(path.join(folder, 'incoming'), rootFolder),
    'the marker of an arriving station': (folder: string) =>
      plant(path.join(folder, 'arriving.json.new'), rootFile()),
    'the folder itself': (folder: string) => plant(folder, rootFolder),
  }

  const countSteps = (): number => {
    let count = 0
    moveStation(windowFolder(), serviceFolder(), SERVICE_OWNER, () => {
      count += 1
    })
    moveStation(serviceFolder(), windowFolder(), null)
    return count
  }

  test('to the background service and back, and each file then belongs to the user of its folder', () => {
    moveStation(windowFolder(), serviceFolder(), SERVICE_OWNER)
    for (const name of ['', 'agent.lock', 'journal.db', 'settings.json', 'agent-key.json', 'first-seen.json'])
      expect(statSync(path.join(serviceFolder(), name)), name).toMatchObject(SERVICE_OWNER)
    expect(statSync(path.join(windowFolder(), 'moved.json')).uid).toBe(ANNA_UID)
    moveStation(serviceFolder(), windowFolder(), null)
    for (const name of ['', 'agent.lock', 'journal.db', 'settings.json', 'agent-key.json', 'first-seen.json'])
      expect(statSync(path.join(windowFolder(), name)), name).toMatchObject({ uid: ANNA_UID, gid: ANNA_UID })
    expect(recordingsIn(windowFolder())).toEqual(['/rec/one.bin'])
    expect(process.geteuid?.()).toBe(0)
  })

  test.each(Object.keys(plantLinks) as (keyof typeof plantLinks)[])(
    'and never reaches a file of root through a link that the user plants as %s during the move',
    (what) => {
      const steps = countSteps()
      for (let stepIndex = 0; stepIndex < steps; stepIndex += 1)
        for (const isMoveBack of [false, true]) {
          rmSync(windowFolder(), { recursive: true, force: true })
          rmSync(serviceFolder(), { recursive: true, force: true })
          mkdirSync(windowFolder())
          writeFileSync(path.join(windowFolder(), 'settings.json'), '{"folders": []}', { mode: 0o600 })
          addRecording('/rec/one.bin', windowFolder())
          chownTree(ANNA_UID, windowFolder())
          if (isMoveBack) moveStation(windowFolder(), serviceFolder(), SERVICE_OWNER)
          let currentStep = 0
          const step = () => {
            if (currentStep === stepIndex) plantLinks[what](windowFolder())
            currentStep += 1
          }
          try {
            if (isMoveBack) moveStation(serviceFolder(), windowFolder(), null, step)
            else moveStation(windowFolder(), serviceFolder(), SERVICE_OWNER, step)
          } catch {
            // The move may stop, but it must not act on the target of the link.
          }
          expectUntouched(`${what}, step ${stepIndex}, ${isMoveBack ? 'back' : 'to the service'}`)
        }
    },
  )

  test('only if no other user can change the path', () => {
    const shared = path.join(windowFolder(), 'shared')
    mkdirSync(shared)
    chownSync(shared, SERVICE_OWNER.uid, SERVICE_OWNER.gid)
    expect(() => moveStation(serviceFolder(), shared, null)).toThrow('Several users can change')
  })

  test('to a folder that root has used before, which then belongs to the account of the background service', () => {
    mkdirSync(serviceFolder())
    takeAgentLock(serviceFolder()).release()
    moveStation(windowFolder(), serviceFolder(), SERVICE_OWNER)
    expect(statSync(path.join(serviceFolder(), 'agent.lock'))).toMatchObject(SERVICE_OWNER)
    expect(recordingsIn(serviceFolder())).toEqual(['/rec/one.bin'])
  })
})
