import { constants } from 'node:fs'
import { access, realpath, stat, statfs } from 'node:fs/promises'
import { fail, judgeFreeSpace, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { temporaryFiles } from '../../../shared/settings/take-layouts.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import { plural } from '../../../shared/words/format.ts'
import { judgeExpectation } from '../domain/expectation-check.ts'
import { isLeftOut } from '../domain/folder-problems.ts'
import { findTakeLayout } from '../domain/takes.ts'
import { describeCode, systemCode } from '../platform/files/file-failure.ts'
import { freeBytesOf } from '../platform/files/file-inspect.ts'
import { sendCanary } from '../platform/folders/canary.ts'
import { isOnNetwork } from '../platform/folders/network-drive.ts'
import { findUnreadable } from '../platform/folders/unreadable-files.ts'
import type { Check, CheckedStation, Verdict } from './checked-station.ts'

/** A call to a hung drive blocks a thread. So the checks of a folder first wait until one shared call returns. */
export const waitForDrive = (
  station: Pick<CheckedStation, 'pendingDriveCalls' | 'paths'>,
  { path }: FolderSettings,
) => {
  const { pendingDriveCalls, paths } = station
  const pendingCall = pendingDriveCalls.get(path)
  if (pendingCall !== undefined) return pendingCall
  const answer = stat(paths.toOpen(path))
    .catch(() => undefined)
    .finally(() => pendingDriveCalls.delete(path))
  pendingDriveCalls.set(path, answer)
  return answer
}

const checkFolder = async (folder: FolderSettings, paths: Paths, signal: AbortSignal): Promise<Verdict> => {
  const pathToOpen = paths.toOpen(folder.path)
  try {
    if (!(await stat(pathToOpen)).isDirectory())
      return fail('This path is a file, not a folder.', 'Choose the folder that the recorder writes to.')
    await access(pathToOpen, constants.R_OK | constants.X_OK)
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    if (code === 'ENOENT') return fail('It is missing.', 'Connect its drive or share, or correct the path.')
    const isDenied = code === 'EACCES' || code === 'EPERM'
    return fail(
      `It cannot be read: ${describeCode(code)}.`,
      isDenied ? 'Give this user permission to read it.' : 'Check the path, and the drive or share.',
    )
  }
  const [unreadable, ...others] = await findUnreadable(folder, paths, signal)
  if (unreadable !== undefined)
    return fail(
      others.length === 0
        ? `Something in it cannot be read: ${unreadable} (permission denied).`
        : `${plural(others.length + 1, 'file or folder', 'files and folders')} in it cannot be read, such as ${unreadable} (permission denied).`,
      'Give this user permission to read the files of the recorder.',
    )
  const { type } = await statfs(pathToOpen).catch(() => ({ type: 0 }))
  const realPath = await realpath(pathToOpen).catch(() => folder.path)
  const scanHint = 'The regular scan finds new files within minutes.'
  const canary = await sendCanary(folder.path, paths, signal)
  switch (canary.kind) {
    case 'read-only':
      return pass(
        `Readable. Not writable (${canary.detail}), so Sluice could not test whether the system reports new files.`,
      )
    case 'unwatchable':
      return warn(`Readable, but not watched: ${canary.detail}.`, scanHint)
    case 'unseen':
      return warn('Readable and writable, but the system does not report new files.', scanHint)
    case 'seen':
      return isOnNetwork(realPath, type, paths)
        ? warn(
            'Readable and writable. It is on a network drive, which reports only changes from this PC.',
            'The regular scan finds changes from other PCs within minutes.',
          )
        : pass('Readable and writable. The system reports new files.')
  }
}

/** One finding for all problems. Each sentence and each remedy appears only once. */
const failForAll = (problems: readonly Problem[]): Verdict => {
  const joinTexts = (textOf: (problem: Problem) => string) => [...new Set(problems.map(textOf))].join(' ')
  return fail(
    joinTexts(({ sentence }) => sentence),
    joinTexts(({ next }) => next),
  )
}

/**
 * The problems of files and folders that the last scan skipped. Only a check without an agent needs this: an agent
 * reports them in `folderProblems`. A journal that cannot be opened is reported by a different check.
 */
const skippedFileProblems = (
  { journal }: Pick<CheckedStation, 'journal'>,
  folder: string,
): readonly Problem[] => {
  try {
    const problems = journal?.().folders.of(folder)?.problems ?? []
    return problems.map(({ problem }) => problem).filter(({ code }) => isLeftOut(code))
  } catch {
    return []
  }
}

/** A warning if the folder seems to contain takes of several files, but its settings treat each file as a take. */
const proposeTakes = (
  { journal, paths }: Pick<CheckedStation, 'journal' | 'paths'>,
  folder: FolderSettings,
): Verdict | null => {
  if (folder.take !== 'file') return null
  try {
    const files = journal?.().takes.newestPaths(folder.path) ?? []
    const layout = findTakeLayout(files.map((file) => paths.nameInside(folder.path, file) ?? ''))
    if (layout === null) return null
    return warn(
      `Folders in it look like one ${layout} ${layout === 'rosbag2' ? 'recording' : 'dataset'} each, but Sluice treats each file separately.`,
      [
        'Set folders[].take to "folder", or choose “One folder” in the folder’s dialog.',
        ...temporaryFiles[layout].map(
          (pattern) => `Add "${pattern}" to folders[].exclude, to skip the temporary images of ${layout}.`,
        ),
      ].join(' '),
    )
  } catch {
    return null
  }
}

const INSPECTIONS = 30

/** Needs a journal, because only the journal knows the content of recordings. */
const expectationChecks = ({ journal }: CheckedStation, folder: FolderSettings): Check[] =>
  journal === null
    ? []
    : [
        {
          subject: `Expected content of ${folder.path}`,
          run: async () =>
            judgeExpectation(folder, journal().pastInspections.lastIn(folder.path, INSPECTIONS)),
        },
      ]

const checksOf = (station: CheckedStation, folder: FolderSettings): readonly Check[] => [
  {
    subject: folder.path,
    run: async (signal) => {
      const { paths } = station
      const problems = station.folderProblems?.(folder.path) ?? []
      if (problems.length > 0) return failForAll(problems)
      await waitForDrive(station, folder)
      const verdict = await checkFolder(folder, paths, signal)
      if (verdict.verdict === 'fail') return verdict
      const problemsOfSkipped = skippedFileProblems(station, folder.path)
      if (problemsOfSkipped.length > 0) return failForAll(problemsOfSkipped)
      return (verdict.verdict === 'pass' ? proposeTakes(station, folder) : null) ?? verdict
    },
  },
  {
    subject: `Free space in ${folder.path}`,
    run: async () => {
      await waitForDrive(station, folder)
      const freeBytes = await freeBytesOf(station.paths.toOpen(folder.path))
      return freeBytes === null
        ? skip('Unknown: the folder is missing, or its drive does not report its free space.')
        : judgeFreeSpace(freeBytes)
    },
  },
  ...expectationChecks(station, folder),
]

export const folderChecks = (
  station: CheckedStation,
  folders: readonly FolderSettings[],
): readonly Check[] =>
  folders.length === 0
    ? [
        {
          subject: 'Folders',
          run: async () => warn('No folder is watched.', 'Add the folder that the recorder writes to.'),
        },
      ]
    : folders.flatMap((folder) => checksOf(station, folder))
