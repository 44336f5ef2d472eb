import {
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import path from 'node:path'
import { takeAgentLock } from '../../agent/journal/lock.ts'
import type { Owner } from '../../local-files/data-folder-owner.ts'
import { syncFolder, writeDurably } from '../../local-files/durable-file.ts'
import { arrivingFile, movedFile, readMark, whyMoved } from '../../local-files/moved-station.ts'
import { withJournal } from '../journal-commands.ts'

/**
 * Hard case: The move of a station to a service is interrupted.
 * The old folder stays whole until the new one is. Meanwhile no agent starts in either of them, and the same command
 * finishes the move.
 */

const JOURNAL = 'journal.db'
/** The journal, the settings, and the secrets that are not in a keychain. */
const movedFiles = /^(?:journal\.[\w.-]+|settings\.[\w.-]+|agent-(?:key|monitoring)\.json|webhooks\.json)$/
const unfinished = /\.new$/

const copyDurably = (from: string, to: string, owner: Owner | null): void => {
  copyFileSync(from, to)
  if (owner !== null) chownSync(to, owner.uid, owner.gid)
  const handle = openSync(to, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && movedFiles.test(entry.name) && !unfinished.test(entry.name))
    .map(({ name }) => name)
    // The journal makes the folder a station, so it arrives last.
    .toSorted((a, b) => Number(a === JOURNAL) - Number(b === JOURNAL))

/**
 * Moves journal, settings and secrets to a different data folder. Returns false if they are there already. Throws a sentence
 * if an agent runs, or if the new folder holds a different station. `step` is called before each step, for tests.
 */
export const moveStation = (
  from: string,
  to: string,
  owner: Owner | null,
  step: (what: string) => void = () => {},
): boolean => {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const journalIn = (folder: string) => existsSync(path.join(folder, JOURNAL))
  const arrivesFrom = readMark(arrivingFile(to))
  // The older journal could replace the newer one.
  const unfinishedMove = readMark(arrivingFile(from)) === null ? null : whyMoved(from)
  if (unfinishedMove !== null) throw new Error(unfinishedMove)
  if (readMark(movedFile(from)) === to && arrivesFrom === null && journalIn(to)) return false
  if (!journalIn(from)) throw new Error(`There is no station in ${from}.`)
  // A journal that this station left behind when it moved away may be replaced by the newer one.
  if (journalIn(to) && arrivesFrom !== from && readMark(movedFile(to)) !== from)
    throw new Error(`${to} already holds a station. Remove it, or keep ${from} as it is.`)
  // The marks themselves would refuse the lock after an interruption.
  const locks = [from, to].map((folder) => takeAgentLock(folder, { evenIfMoved: true }))
  try {
    step('block the new folder')
    writeDurably(arrivingFile(to), JSON.stringify({ folder: from }))
    step('block the old folder')
    writeDurably(movedFile(from), JSON.stringify({ folder: to }))
    step('fold the write-ahead file into the journal')
    withJournal(from, () => {})
    for (const name of filesIn(to)) {
      step(`remove the outdated ${name}`)
      rmSync(path.join(to, name))
    }
    const incoming = path.join(to, 'incoming')
    rmSync(incoming, { recursive: true, force: true })
    mkdirSync(incoming, { mode: 0o700 })
    const names = filesIn(from)
    for (const name of names) {
      step(`copy ${name}`)
      copyDurably(path.join(from, name), path.join(incoming, name), owner)
    }
    for (const name of names) {
      step(`put ${name} in place`)
      renameSync(path.join(incoming, name), path.join(to, name))
    }
    rmSync(incoming, { recursive: true })
    // The lock is a file that this command may have created.
    if (owner !== null)
      for (const own of [to, path.join(to, 'agent.lock')]) chownSync(own, owner.uid, owner.gid)
    syncFolder(to)
    step('open the new folder')
    rmSync(movedFile(to), { force: true })
    rmSync(arrivingFile(to))
    syncFolder(to)
    return true
  } finally {
    for (const lock of locks) lock.release()
  }
}
