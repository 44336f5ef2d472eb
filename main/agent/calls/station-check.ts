import { constants } from 'node:fs'
import { access, realpath, stat, statfs } from 'node:fs/promises'
import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import {
  type Finding,
  fail,
  judgeClock,
  judgeFreeSpace,
  judgeInotify,
  judgeJournal,
  judgeKey,
  judgeSleep,
  judgeThroughput,
  pass,
  skip,
  warn,
} from '../../../shared/ipc/station-check.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings, Settings } from '../../../shared/settings/settings.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import { plural } from '../../../shared/words/format.ts'
import { judgeExpectation } from '../domain/expectation-check.ts'
import { isLeftOut } from '../domain/folder-problems.ts'
import { findTakeLayout } from '../domain/takes.ts'
import { judgeUploadHosts } from '../domain/upload-hosts-check.ts'
import type { Journal } from '../journal/journal.ts'
import { describeCode, systemCode } from '../platform/files/file-failure.ts'
import { freeBytesOf } from '../platform/files/file-inspect.ts'
import { seesAllWriters } from '../platform/files/proc-writers.ts'
import { isInPidNamespace } from '../platform/files/unread-processes.ts'
import { sendCanary } from '../platform/folders/canary.ts'
import { countFolders, inotifyLimits } from '../platform/folders/inotify-limits.ts'
import { isOnNetwork } from '../platform/folders/network-drive.ts'
import { findUnreadable } from '../platform/folders/unreadable-files.ts'
import { RECORDERS_IN_CONTAINER_VARIABLE } from '../platform/process/recorders-in-container.ts'
import { sleepPolicy } from '../platform/sleep-policy.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import { checkCertificate, checkName, checkProxy } from '../service/connection-check.ts'
import { updateStatus } from '../stage/update-memory.ts'
import { chooseProxy } from '../station/service-connection.ts'
import { tryKey } from './try-key.ts'
import { judgeUpdates } from './update-check.ts'

type Verdict = Omit<Finding, 'subject'>

/** Long enough for a slow proxy, short enough for a waiting user. */
const CHECK_TIMEOUT_MS = 15_000

export type CheckedStation = {
  readonly settings: Settings | null
  readonly apiKey: string | null
  /** Why the configured key cannot be used. */
  readonly keyProblem?: string | null
  readonly systemProxy: SystemProxy
  readonly dataFolder: string
  /**
   * The check of the journal opens it, so that a journal that cannot be opened becomes a finding. Null before
   * the first run.
   */
  readonly journal: (() => Journal) | null
  readonly paths: Paths
  /** In a container: whether all recorders run in the same container. */
  readonly recordersInContainer: boolean
  /** Folders whose drive has not answered yet, also from an earlier check. Each folder blocks at most one thread. */
  readonly pendingDriveCalls: Map<string, Promise<unknown>>
  /** Problems that only a running agent knows, such as a different drive at the folder's path. */
  readonly folderProblems?: (path: string) => readonly Problem[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

type Check = { readonly subject: string; readonly run: (signal: AbortSignal) => Promise<Verdict> }

/** A check that throws or times out becomes a finding and does not stop the other checks. */
const runWithTimeout = async ({ subject, run }: Check): Promise<Finding> => {
  const timeout = new AbortController()
  const { promise: timedOut, resolve } = Promise.withResolvers<Verdict>()
  const timer = setTimeout(() => {
    timeout.abort()
    resolve(
      fail(
        `No answer within ${CHECK_TIMEOUT_MS / 1000} s.`,
        'Check the drive, the share or its network, then check again.',
      ),
    )
  }, CHECK_TIMEOUT_MS)
  try {
    return { subject, ...(await Promise.race([run(timeout.signal), timedOut])) }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { subject, ...fail(`It could not be checked: ${words}`, 'See the log.') }
  } finally {
    clearTimeout(timer)
  }
}

/** A hung drive blocks its caller, so all checks of a folder share one call. */
const waitForDrive = (
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
    return code === 'ENOENT'
      ? fail('It is missing.', 'Connect its drive or share, or correct the path.')
      : fail(`It cannot be read: ${describeCode(code)}.`, 'Give this user permission to read it.')
  }
  const [unreadable, ...others] = await findUnreadable(folder, paths, signal)
  if (unreadable !== undefined)
    return fail(
      `${others.length === 0 ? 'Something in it' : `${plural(others.length + 1, 'file or folder', 'files and folders')} in it`} cannot be read: ${unreadable} (permission denied).`,
      'Give this user permission to read the files of the recorder.',
    )
  const { type } = await statfs(pathToOpen).catch(() => ({ type: 0 }))
  const realPath = await realpath(pathToOpen).catch(() => folder.path)
  const scanHint = 'The regular scan finds new files within minutes.'
  const canary = await sendCanary(folder.path, paths, signal)
  switch (canary.kind) {
    case 'read-only':
      return pass(`Readable. Not writable (${canary.detail}), so events were not tested.`)
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

/** One finding for all problems, each with its remedy. */
const failForAll = (problems: readonly Problem[]): Verdict => {
  const joinTexts = (textOf: (problem: Problem) => string) => [...new Set(problems.map(textOf))].join(' ')
  return fail(
    joinTexts(({ sentence }) => sentence),
    joinTexts(({ next }) => next),
  )
}

/**
 * Files that the last scan skipped, for a check without a running agent. A journal that cannot be opened is a
 * separate finding.
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

/** A warning if the folder probably holds takes of several files, and its settings treat each file as a take. */
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
      `Each folder in it looks like one ${layout} ${layout === 'rosbag2' ? 'recording' : 'dataset'}, but Sluice treats each file separately.`,
      'Set folders[].take to "folder", or choose “One folder” in the folder’s dialog.',
    )
  } catch {
    return null
  }
}

const countAll = async (
  folders: readonly FolderSettings[],
  paths: Paths,
  signal: AbortSignal,
): Promise<number | null> => {
  try {
    const counts = await Promise.all(folders.map((folder) => countFolders(folder, paths, signal)))
    return counts.reduce((sum, count) => sum + count, 0)
  } catch {
    return null
  }
}

const networkChecks = (station: CheckedStation, settings: Settings): Check[] => {
  const { service } = settings
  const choice = chooseProxy(service.proxy, station.systemProxy)
  const { apiKey, keyProblem = null } = station
  // One request for two findings: its answer shows both the key's rights and the service's clock.
  let keyTest: ReturnType<typeof tryKey> | null = null
  const testKeyOnce = (key: string, signal: AbortSignal) => {
    keyTest ??= tryKey(service, key, station.systemProxy, station, signal)
    return keyTest
  }
  return [
    {
      subject: 'Service and key',
      run: async (signal) =>
        apiKey === null
          ? keyProblem === null
            ? fail('No key is set.', 'Enter the key of the service.')
            : fail(keyProblem, 'Correct the key file, then check again.')
          : judgeKey((await testKeyOnce(apiKey, signal)).verdict),
    },
    {
      subject: 'Clock',
      run: async (signal) =>
        judgeClock(apiKey === null ? null : (await testKeyOnce(apiKey, signal)).clockOffsetMs),
    },
    { subject: 'Name of the service', run: () => checkName(service.base_url, choice) },
    { subject: 'Proxy', run: (signal) => checkProxy(service.base_url, choice, signal) },
    {
      subject: 'Certificate',
      run: (signal) =>
        checkCertificate(service.base_url, choice, service.ca_file, station.clock.wallMs(), signal),
    },
  ]
}

/** The journal knows the upload hosts and speeds; before the first upload, there is nothing to check. */
const journalChecks = ({ journal, clock, dataFolder, paths }: CheckedStation): Check[] =>
  journal === null
    ? [
        {
          subject: 'Journal',
          run: async () =>
            warn(
              `Not set up yet: no journal in ${paths.show(dataFolder)}.`,
              'Start the station once with “sluice run”, or in the window; then check again.',
            ),
        },
      ]
    : [
        { subject: 'Journal', run: async () => judgeJournal(await journal().health(), clock.wallMs()) },
        {
          subject: 'Storage',
          run: async () => judgeUploadHosts(journal().station.uploadHosts(), clock.wallMs()),
        },
        {
          subject: 'Throughput',
          run: async () => {
            const { rates } = journal()
            return judgeThroughput(rates.throughput('10m'), rates.throughput('24h'))
          },
        },
      ]

const INSPECTIONS = 30

/** Only the journal knows what the recordings of a folder hold. */
const expectationChecks = ({ journal }: CheckedStation, folder: FolderSettings): Check[] =>
  journal === null
    ? []
    : [
        {
          subject: `Expected content of ${folder.path}`,
          run: async () => judgeExpectation(folder, journal().inspections.lastIn(folder.path, INSPECTIONS)),
        },
      ]

/** On Windows, the running agent tests whether it can see open files, so nothing is checked here. */
const writerChecks = (
  folders: readonly FolderSettings[],
  { recordersInContainer }: Pick<CheckedStation, 'recordersInContainer'>,
): Check[] => {
  const isLinux = process.platform === 'linux'
  if (!isLinux && process.platform !== 'darwin') return []
  if (folders.every(({ after_upload }) => after_upload.action === 'keep')) return []
  const removalDelay = isLinux
    ? 'Sluice removes a file of a different user only after it has been unchanged for 24 hours.'
    : 'Sluice removes a file only after it has been unchanged for 24 hours.'
  return [
    {
      subject: 'Open files',
      run: async () => {
        if (!isLinux)
          return warn('Sluice cannot see which files other programs have open on macOS.', removalDelay)
        const isInContainer = isInPidNamespace()
        if (isInContainer && !recordersInContainer)
          return warn(
            'Sluice runs in a container and cannot see which files programs outside it have open.',
            `${removalDelay} Start the container with --pid=host. If all recorders run in this container, set ${RECORDERS_IN_CONTAINER_VARIABLE}=1.`,
          )
        if (!seesAllWriters())
          return warn(
            'This user cannot see which files programs of other users have open.',
            `${removalDelay} A service with CAP_SYS_PTRACE sees them: see “Let it run” in the admin guide.`,
          )
        return isInContainer
          ? pass(
              `Sluice sees which files other programs in this container have open. Programs outside are invisible, but ${RECORDERS_IN_CONTAINER_VARIABLE} is set.`,
            )
          : pass('Sluice sees which files other programs have open.')
      },
    },
  ]
}

/** Runs all checks at the same time, each with a timeout. The window and the terminal show the same findings. */
/** Nothing without a feed. */
const updateChecks = ({ settings, journal, clock }: CheckedStation): readonly Check[] => {
  if (settings === null || journal === null) return []
  const { mode, feed } = settings.updates
  if (mode === 'off' || feed === undefined) return []
  const judge = () => {
    const opened = journal()
    const version = opened.activity.recall<string>('version')
    return judgeUpdates(updateStatus(opened, version, settings), clock.wallMs())
  }
  return [{ subject: 'Updates', run: async () => judge() }]
}

export const checkStation = (station: CheckedStation): Promise<readonly Finding[]> => {
  const { settings, paths, dataFolder } = station
  const folders = settings?.folders ?? []
  const checks: Check[] = [
    ...(settings === null
      ? [
          {
            subject: 'Service and key',
            run: async () => fail('No service is set up.', 'Set the address and the key of the service.'),
          },
        ]
      : networkChecks(station, settings)),
    ...journalChecks(station),
    ...updateChecks(station),
    {
      subject: 'Free space for the journal',
      run: async () => judgeFreeSpace(await freeBytesOf(paths.toOpen(dataFolder))),
    },
    {
      subject: 'Sleep',
      run: async () => judgeSleep(await sleepPolicy(), settings?.app.keep_awake_while_uploading ?? false),
    },
    ...(process.platform === 'linux'
      ? [
          {
            subject: 'Watches',
            run: async (signal: AbortSignal) => {
              await Promise.all(folders.map((folder) => waitForDrive(station, folder)))
              return judgeInotify(await inotifyLimits(), await countAll(folders, paths, signal))
            },
          },
        ]
      : []),
    ...writerChecks(folders, station),
    ...(folders.length === 0
      ? [
          {
            subject: 'Folders',
            run: async () => warn('No folder is watched.', 'Add the folder that the recorder writes to.'),
          },
        ]
      : folders.flatMap((folder): Check[] => [
          {
            subject: folder.path,
            run: async (signal) => {
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
              const freeBytes = await freeBytesOf(paths.toOpen(folder.path))
              return freeBytes === null ? skip('Unknown: the folder is missing.') : judgeFreeSpace(freeBytes)
            },
          },
          ...expectationChecks(station, folder),
        ])),
  ]
  return Promise.all(checks.map(runWithTimeout))
}
