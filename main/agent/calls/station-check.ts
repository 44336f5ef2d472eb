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
  warn,
} from '../../../shared/ipc/station-check.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings, Settings } from '../../../shared/settings/settings.ts'
import { judgeUploadHosts } from '../domain/upload-hosts-check.ts'
import { freeBytesOf } from '../platform/files/file-inspect.ts'
import { seesAllWriters } from '../platform/files/proc-writers.ts'
import { isInPidNamespace } from '../platform/files/unread-processes.ts'
import { countFolders, inotifyLimits } from '../platform/folders/inotify-limits.ts'
import { RECORDERS_IN_CONTAINER_VARIABLE } from '../platform/process/recorders-in-container.ts'
import { sleepPolicy } from '../platform/sleep-policy.ts'
import { checkCertificate, checkName, checkProxy } from '../service/connection-check.ts'
import { updateStatus } from '../stage/update-memory.ts'
import { chooseProxy } from '../station/service-connection.ts'
import type { Check, CheckedStation, Verdict } from './checked-station.ts'
import { tryKey } from './try-key.ts'
import { judgeUpdates } from './update-check.ts'
import { folderChecks, waitForDrive } from './watched-folder-checks.ts'

/** Long enough for a slow proxy, short enough for a waiting user. */
const CHECK_TIMEOUT_MS = 15_000

/** A check that throws or times out becomes a finding and does not stop the other checks. */
const runWithTimeout = async ({ subject, run }: Check): Promise<Finding> => {
  const timeout = new AbortController()
  const { promise: timedOut, resolve } = Promise.withResolvers<Verdict>()
  const timer = setTimeout(() => {
    timeout.abort()
    resolve(
      fail(
        `No answer within ${CHECK_TIMEOUT_MS / 1000} s.`,
        'Check the drive, the share or the network, then check again.',
      ),
    )
  }, CHECK_TIMEOUT_MS)
  try {
    return { subject, ...(await Promise.race([run(timeout.signal), timedOut])) }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { subject, ...fail(`Sluice could not check this: ${words}`, 'See the log.') }
  } finally {
    clearTimeout(timer)
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

/** No check on Windows: there, the running agent tests whether it can see open files. */
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
          return warn('On macOS, Sluice cannot see which files other programs have open.', removalDelay)
        const isInContainer = isInPidNamespace()
        if (isInContainer && !recordersInContainer)
          return warn(
            'Sluice runs in a container and cannot see which files programs outside it have open.',
            `${removalDelay} Start the container with --pid=host. If all recorders run in this container, set ${RECORDERS_IN_CONTAINER_VARIABLE}=1.`,
          )
        if (!seesAllWriters())
          return warn(
            'This user cannot see which files the programs of other users have open.',
            `${removalDelay} A background service with CAP_SYS_PTRACE sees them: see “Run it permanently” in the admin guide.`,
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

/** Checks nothing if Sluice is not set up, or if updates are off or have no feed. */
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

/** Runs all checks at the same time, each with a timeout. The window and the terminal show the same findings. */
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
    ...folderChecks(station, folders),
  ]
  return Promise.all(checks.map(runWithTimeout))
}
