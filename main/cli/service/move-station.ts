import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import path from 'node:path'
import { loadSqlite, takeAgentLock } from '../../agent/journal/lock.ts'
import { copyDurably } from '../../local-files/copy-durably.ts'
import { type Owner, userInControlOf } from '../../local-files/data-folder-owner.ts'
import { syncFolder, writeDurably } from '../../local-files/durable-file.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { arrivingMark, movedMark, movedRefusal, readMark } from '../../local-files/moved-station.ts'
import { createPlainFile, openPlainFile } from '../../local-files/plain-file.ts'
import { withJournal } from '../journal-commands.ts'
import { runAsUser } from '../switch-user.ts'

/**
 * Hard case: The move of a station to a background service is interrupted.
 * During the move, no agent starts and no command changes the journal in either folder. The old folder stays complete
 * until the new folder is complete, so running the same command again finishes the move. Afterwards the old folder
 * stays blocked.
 */

const JOURNAL = 'journal.db'
/** The files of the journal and the settings, the first-seen file, and the secrets that are not in a keychain. */
const movedFiles =
  /^(?:journal\.[\w.-]+|settings\.[\w.-]+|agent-(?:key|monitoring)\.json|(?:webhooks|first-seen)\.json)$/
const unfinishedFiles = /\.new$/
const stationFiles = /^(?:agent\.lock|(?:journal|settings|agent-|webhooks|first-seen|moved|arriving).*)$/

/**
 * The old or the new folder of a move. Root may move a station between the folders of two users, so Sluice acts in each
 * folder only with the rights of the user who controls that folder.
 */
type Side = { readonly folder: string; readonly act: <T>(task: () => T) => T }

const sideOf = (folder: string, user: Owner | null): Side => ({
  folder,
  act: (task) => runAsUser(user, task),
})

/**
 * Creates the folder if it is missing. Gives the folder and its station files to the account of the background service.
 * Does nothing unless this program runs as root. Throws an Error for the user if another user owns the folder, or can
 * replace it.
 */
const changeOwner = (folder: string, { uid, gid }: Owner): void => {
  if (process.geteuid?.() !== 0) return
  if (userInControlOf(path.dirname(folder)) !== null)
    throw new Error(`${folder} is in a folder of another user, so the background service cannot use it.`)
  makeFolder(folder)
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
  const changeOwnerOfFile = (file: string, flags: number): void => {
    const handle = openSync(file, O_RDONLY | O_NONBLOCK | flags)
    try {
      fchownSync(handle, uid, gid)
    } finally {
      closeSync(handle)
    }
  }
  const handle = openSync(folder, O_RDONLY | O_DIRECTORY)
  try {
    const stats = fstatSync(handle)
    if (stats.uid === uid) return
    if (stats.uid !== 0)
      throw new Error(
        `${folder} belongs to a different account. Give it to the account of the background service.`,
      )
    // The folder changes its owner last: while root owns it, no other user can plant a link in it.
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile() && stationFiles.test(entry.name))
        changeOwnerOfFile(path.join(folder, entry.name), O_NOFOLLOW)
    fchownSync(handle, uid, gid)
  } finally {
    closeSync(handle)
  }
}

/**
 * Removes the files that an interrupted move has left. If an unknown entry remains, `rmdirSync` throws, and the move
 * stops.
 */
const removeIncoming = (incoming: string): void => {
  if (lstatSync(incoming, { throwIfNoEntry: false }) === undefined) return
  for (const name of filesIn(incoming)) rmSync(path.join(incoming, name))
  rmdirSync(incoming)
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && movedFiles.test(entry.name) && !unfinishedFiles.test(entry.name))
    .map(({ name }) => name)
    // A folder with a journal counts as a station, so the journal moves last.
    .toSorted((a, b) => Number(a === JOURNAL) - Number(b === JOURNAL))

const hasJournal = ({ folder, act }: Side): boolean => act(() => existsSync(path.join(folder, JOURNAL)))

/**
 * True if the station still has to move. Throws an Error for the user if the old folder has no station, or if the move
 * could lose or duplicate a station.
 */
const mustMove = (source: Side, target: Side): boolean => {
  const [from, to] = [source.folder, target.folder]
  // If an earlier move into the old folder is unfinished, the old folder may hold an outdated journal.
  const unfinishedMove = source.act(() => (readMark(arrivingMark(from)) === null ? null : movedRefusal(from)))
  if (unfinishedMove !== null) throw new Error(unfinishedMove)
  const movedTo = source.act(() => readMark(movedMark(from)))
  // Refuse if the station moved to a third folder: with a second copy of its journal, a second agent would upload the
  // same recordings.
  if (movedTo !== null && movedTo !== to)
    throw new Error(
      `The station of ${from} has moved to ${movedTo}. Move it from there. If that move was interrupted, repeat it first.`,
    )
  const { arrivingFrom, movedAwayTo, refusal } = target.act(() => ({
    arrivingFrom: readMark(arrivingMark(to)),
    movedAwayTo: readMark(movedMark(to)),
    refusal: movedRefusal(to),
  }))
  // Refuse while a move from a third folder to the new folder is unfinished. The third folder may already be blocked,
  // so its station would be lost.
  if (arrivingFrom !== null && arrivingFrom !== from && refusal !== null) throw new Error(refusal)
  // The station has already moved if the moved mark of the old folder names the new folder, and the new folder has a
  // journal and no arriving mark. If the station has since moved on to a third folder, refuse. If the moved mark of
  // each folder names the other folder, move again, because the files of the old folder are at least as new.
  if (movedTo === to && arrivingFrom === null && hasJournal(target) && movedAwayTo !== from) {
    if (refusal !== null) throw new Error(refusal)
    return false
  }
  if (!hasJournal(source)) throw new Error(`There is no station in ${from}.`)
  // The move may replace only files that this station left in the new folder, in an interrupted or earlier move.
  const foundFiles = target.act(() => (existsSync(to) ? filesIn(to) : []))
  if (foundFiles.length > 0 && arrivingFrom !== from && movedAwayTo !== from)
    throw new Error(
      `${to} already holds a station: ${foundFiles.join(', ')}. Remove these files, or keep ${from} as it is.`,
    )
  return true
}

/** Throws an Error for the user if `moveStation` would refuse this move. Changes nothing. */
export const refuseImpossibleMove = (from: string, to: string): void => {
  mustMove(sideOf(from, userInControlOf(from)), sideOf(to, userInControlOf(to)))
}

/**
 * Moves journal, settings and secrets to a different data folder. Returns false if they are already there. Throws an
 * Error for the user if an agent runs, or if the new folder contains a different station. `account` becomes the owner
 * of the new folder; null keeps the current owner. Tests pass `step`, which runs before each step.
 */
export const moveStation = (
  from: string,
  to: string,
  account: Owner | null,
  step: (name: string) => void = () => {},
): boolean => {
  loadSqlite()
  if (account !== null) changeOwner(to, account)
  const source = sideOf(from, userInControlOf(from))
  const target = sideOf(to, account ?? userInControlOf(to))
  if (!mustMove(source, target)) return false
  target.act(() => mkdirSync(to, { recursive: true, mode: 0o700 }))
  step('lock both folders')
  // Without `evenIfMoved`, `takeAgentLock` would refuse a folder with a mark of an interrupted move.
  const locks = [source, target].map(({ folder, act }) => {
    const lock = act(() => takeAgentLock(folder, { evenIfMoved: true }))
    return { release: () => act(() => lock.release()) }
  })
  try {
    // A different move may have finished before this move got the locks.
    if (!mustMove(source, target)) return false
    step('block the new folder')
    target.act(() => writeDurably(arrivingMark(to), JSON.stringify({ folder: from })))
    step('block the old folder')
    source.act(() => writeDurably(movedMark(from), JSON.stringify({ folder: to })))
    step('merge the write-ahead log into the journal')
    // The transaction waits for commands that are writing. Later commands find the mark and refuse to write.
    source.act(() => withJournal(from, (journal) => journal.transaction(() => {})))
    for (const name of target.act(() => filesIn(to))) {
      step(`remove the outdated ${name}`)
      target.act(() => rmSync(path.join(to, name)))
    }
    const incoming = path.join(to, 'incoming')
    target.act(() => {
      removeIncoming(incoming)
      mkdirSync(incoming, { mode: 0o700 })
    })
    const names = source.act(() => filesIn(from))
    for (const name of names) {
      step(`copy ${name}`)
      copyDurably(
        () => source.act(() => openPlainFile(path.join(from, name))),
        () => target.act(() => createPlainFile(path.join(incoming, name))),
      )
    }
    for (const name of names) {
      step(`put ${name} in place`)
      target.act(() => renameSync(path.join(incoming, name), path.join(to, name)))
    }
    target.act(() => {
      rmdirSync(incoming)
      syncFolder(to)
    })
    step('open the new folder')
    target.act(() => {
      rmSync(movedMark(to), { force: true })
      // Before removing the arriving mark, make sure that the moved mark is gone from the disk. Otherwise, after a
      // power failure, the moved mark of each folder could name the other folder.
      syncFolder(to)
      rmSync(arrivingMark(to))
      syncFolder(to)
    })
    return true
  } finally {
    for (const lock of locks) lock.release()
  }
}
