import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentFolder, separateSandboxJournal } from '../../../../../main/shell/sandbox/try-out-folder.ts'

const JOURNAL_FILES = ['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.backup.db', 'journal.made']
const OTHER_FILES = ['agent.lock', 'sandbox.json', 'settings.json']

describe('the data folder of the try-out', () => {
  let dataFolder: string
  let tryOut: string
  beforeEach(() => {
    dataFolder = mkdtempSync(path.join(tmpdir(), 'sluice-try-out-'))
    tryOut = path.join(dataFolder, 'try-out')
    for (const name of [...JOURNAL_FILES, ...OTHER_FILES]) writeFileSync(path.join(dataFolder, name), name)
    mkdirSync(path.join(dataFolder, 'damaged-2026-03-12'))
    writeFileSync(path.join(dataFolder, 'damaged-2026-03-12/journal.db'), 'damaged')
  })
  afterEach(() => rmSync(dataFolder, { recursive: true }))

  const expectMoved = () => {
    expect(readdirSync(dataFolder).sort()).toEqual([...OTHER_FILES, 'try-out'].sort())
    expect(readdirSync(tryOut).sort()).toEqual([...JOURNAL_FILES, 'damaged-2026-03-12'].sort())
    for (const name of JOURNAL_FILES) expect(readFileSync(path.join(tryOut, name), 'utf8')).toBe(name)
  }
  const expectKept = () => {
    expect(readdirSync(dataFolder).sort()).toEqual(
      [...JOURNAL_FILES, ...OTHER_FILES, 'damaged-2026-03-12', 'try-out'].sort(),
    )
    expect(readdirSync(tryOut)).toEqual([])
  }

  it('gets the sandbox journal of an earlier version', () => {
    separateSandboxJournal(dataFolder, true)
    expectMoved()
    expect(agentFolder(dataFolder, true)).toBe(tryOut)
    expect(agentFolder(dataFolder, false)).toBe(dataFolder)
  })

  it('never gets the journal of a real service, even if the station uses the sandbox later', () => {
    separateSandboxJournal(dataFolder, false)
    expectKept()
    separateSandboxJournal(dataFolder, true)
    expectKept()
  })

  it.each([1, 2, 3, 4, 5])(
    'gets the other files of the journal if the move stopped after %i files',
    (movedFiles) => {
      mkdirSync(path.join(dataFolder, 'try-out.new'))
      for (const name of JOURNAL_FILES.slice(0, movedFiles)) {
        writeFileSync(path.join(dataFolder, 'try-out.new', name), name)
        rmSync(path.join(dataFolder, name))
      }
      separateSandboxJournal(dataFolder, false)
      expectMoved()
    },
  )

  it('is not used before the journal has moved', () => {
    expect(agentFolder(dataFolder, true)).toBe(dataFolder)
    mkdirSync(path.join(dataFolder, 'try-out.new'))
    expect(agentFolder(dataFolder, true)).toBe(dataFolder)
  })
})
