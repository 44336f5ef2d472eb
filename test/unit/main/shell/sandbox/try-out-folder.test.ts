import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentFolder, separateSandboxJournal } from '../../../../../main/shell/sandbox/try-out-folder.ts'

const JOURNAL = ['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.backup.db', 'journal.made']
const OTHERS = ['agent.lock', 'sandbox.json', 'settings.json']

describe('the sandbox’s data folder', () => {
  let data: string
  let tryOut: string
  beforeEach(() => {
    data = mkdtempSync(path.join(tmpdir(), 'sluice-try-out-'))
    tryOut = path.join(data, 'try-out')
    for (const name of [...JOURNAL, ...OTHERS]) writeFileSync(path.join(data, name), name)
    mkdirSync(path.join(data, 'damaged-2026-03-12'))
    writeFileSync(path.join(data, 'damaged-2026-03-12/journal.db'), 'set aside')
  })
  afterEach(() => rmSync(data, { recursive: true }))

  const expectMoved = () => {
    expect(readdirSync(data).sort()).toEqual([...OTHERS, 'try-out'].sort())
    expect(readdirSync(tryOut).sort()).toEqual([...JOURNAL, 'damaged-2026-03-12'].sort())
    for (const name of JOURNAL) expect(readFileSync(path.join(tryOut, name), 'utf8')).toBe(name)
  }
  const expectKept = () => {
    expect(readdirSync(data).sort()).toEqual([...JOURNAL, ...OTHERS, 'damaged-2026-03-12', 'try-out'].sort())
    expect(readdirSync(tryOut)).toEqual([])
  }

  it('gets the sandbox journal of an earlier version', () => {
    separateSandboxJournal(data, true)
    expectMoved()
    expect(agentFolder(data, true)).toBe(tryOut)
    expect(agentFolder(data, false)).toBe(data)
  })

  it('never gets the journal of a real service, even if the station uses the sandbox later', () => {
    separateSandboxJournal(data, false)
    expectKept()
    separateSandboxJournal(data, true)
    expectKept()
  })

  it.each([1, 2, 3, 4, 5])(
    'continues a move that stopped after %i files, even if the settings changed',
    (done) => {
      mkdirSync(path.join(data, 'try-out.new'))
      for (const name of JOURNAL.slice(0, done)) {
        writeFileSync(path.join(data, 'try-out.new', name), name)
        rmSync(path.join(data, name))
      }
      separateSandboxJournal(data, false)
      expectMoved()
    },
  )

  it('is not used before the journal has moved', () => {
    expect(agentFolder(data, true)).toBe(data)
    mkdirSync(path.join(data, 'try-out.new'))
    expect(agentFolder(data, true)).toBe(data)
  })
})
