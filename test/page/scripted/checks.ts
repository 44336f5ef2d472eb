import { judgeUploadHosts } from '../../../main/agent/domain/upload-hosts-check.ts'
import type { FolderVerdict } from '../../../shared/ipc/ipc.ts'
import type { KeyVerdict } from '../../../shared/ipc/key-verdict.ts'
import {
  type Finding,
  fail,
  judgeClock,
  judgeFreeSpace,
  judgeInotify,
  judgeJournal,
  judgeKey,
  judgeSleep,
  pass,
} from '../../../shared/ipc/station-check.ts'
import type { JournalHealth, UploadHost } from '../../../shared/ipc/support.ts'
import type { DraftSettings, FolderSettings } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status/status.ts'

/** The scripted results of the key test and of the checks of a folder and the station. */

const GOOD_KEYS: Readonly<Record<string, 'write' | 'read'>> = {
  svc_live_write_0001: 'write',
  svc_test_write_0001: 'write',
  svc_live_reader_001: 'read',
}

/** Without `apiKey`, tests the stored key, which is a valid live key. */
export const testKey = (baseUrl: string, apiKey = 'svc_live_write_0001'): KeyVerdict => {
  const live = apiKey.startsWith('svc_live_') ? true : apiKey.startsWith('svc_test_') ? false : null
  if (baseUrl.includes('nowhere'))
    return {
      kind: 'unreachable',
      live,
      detail: 'The service cannot be reached. (getaddrinfo ENOTFOUND nowhere.example.com)',
    }
  return { kind: GOOD_KEYS[apiKey] ?? 'wrong', live }
}

export const checkFolder = (path: string, watched: readonly FolderSettings[]): FolderVerdict => {
  if (watched.some((folder) => folder.path === path))
    return { ok: false, reason: 'This folder is already watched.' }
  const outer = watched.find((folder) => path.startsWith(`${folder.path}/`))
  if (outer !== undefined)
    return {
      ok: true,
      warning: `It is inside ${outer.path}, which is watched too. Files in this folder will use the settings given here.`,
      files: 4,
      bytes: 6_200_000_000,
      takeLayout: null,
    }
  if (/^([A-Z]:\\|\/)$/i.test(path))
    return { ok: false, reason: 'This is a whole drive. Choose the folder the recorder writes to.' }
  if (path.includes('secret'))
    return {
      ok: false,
      reason:
        'Sluice has no permission to read this folder. Fix its permissions, or choose a different folder.',
    }
  if (path.startsWith('\\\\') || path.startsWith('/mnt/'))
    return {
      ok: true,
      warning:
        'It is on a network drive: Sluice may notice a new file half a minute later than on a local drive, or minutes later if the folder is large.',
      files: 18,
      bytes: 41_000_000_000,
      takeLayout: null,
    }
  return {
    ok: true,
    warning: null,
    files: 12,
    bytes: 18_400_000_000,
    takeLayout: path.includes('bags') ? 'rosbag2' : path.includes('datasets') ? 'LeRobot' : null,
  }
}

export const journalAt = (nowMs: number): JournalHealth => ({
  intact: true,
  trouble: null,
  bytes: 4_620_000,
  backedUpAt: new Date(nowMs - 21 * 60_000).toISOString(),
})

export const uploadHostsAt = (nowMs: number): readonly UploadHost[] => [
  { host: 'storage.example.com', firstSeenAt: new Date(nowMs - 90 * 86_400_000).toISOString() },
  { host: 'storage-eu.example.com', firstSeenAt: new Date(nowMs - 3 * 86_400_000).toISOString() },
]

/** The findings that a real agent would report for the facts of the scene. */
export const checkStation = (
  { service, app }: DraftSettings,
  status: Status,
  journal: JournalHealth,
  hosts: readonly UploadHost[],
): readonly Finding[] => {
  const now = Date.parse(status.at)
  const serviceFindings: Finding[] =
    service === undefined
      ? [
          {
            subject: 'Service and key',
            ...fail('No service is set up.', 'Set the address and the key of the service.'),
          },
        ]
      : [
          { subject: 'Service and key', ...judgeKey(testKey(service.base_url)) },
          { subject: 'Clock', ...judgeClock(status.station.clockOffsetMs) },
          { subject: 'Proxy', ...pass('None: Sluice connects to the service directly.') },
          {
            subject: 'Certificate',
            ...pass('Trusted; issued by Example Trust Services, valid for 61 more days.'),
          },
        ]
  return [
    ...serviceFindings,
    { subject: 'Journal', ...judgeJournal(journal, now) },
    { subject: 'Storage', ...judgeUploadHosts(hosts, now) },
    { subject: 'Throughput', ...pass('27.6 MB/s in the last 10 minutes.') },
    { subject: 'Free space for the journal', ...judgeFreeSpace(212_000_000_000) },
    { subject: 'Sleep', ...judgeSleep({ kind: 'after', minutes: 30 }, app.keep_awake_while_uploading) },
    { subject: 'Watches', ...judgeInotify({ watches: 65_536, instances: 128 }, 204) },
    ...status.folders.map((folder) => ({
      subject: folder.path,
      ...(folder.problem === null
        ? pass('Readable and writable. The system reports new files.')
        : fail(folder.problem.sentence, folder.problem.next)),
    })),
  ]
}
