import { type ProblemCode, problemNeedsAttention } from '../../../shared/status/problem.ts'
import { type Standing, standings } from '../../../shared/status/standing.ts'
import { type FolderStatus, type Status, stationStates } from '../../../shared/status/status.ts'
import type { Owner } from '../../../shared/words/words.ts'
import { leftOutCodes } from './folder-problems.ts'
import { type Family, formatExposition, type Sample } from './prometheus-text.ts'
import { liveStates } from './states.ts'

/** The states in which Sluice still has work to do on a recording. */
export type BacklogState = (typeof liveStates)[number]

export type MetricsFacts = {
  readonly status: Status
  readonly version: string
  readonly backlog: Readonly<Record<BacklogState, { readonly files: number; readonly bytes: number }>>
  readonly holds: Readonly<Record<Owner, number>>
  /** When Sluice found the oldest recording that is written completely but not processed. */
  readonly oldestWaitingAtMs: number | null
  readonly lastProcessedAtMs: number | null
  readonly sentBytes: number
  readonly processed: number
  readonly failures: ReadonlyMap<ProblemCode, number>
  readonly startedAtMs: number
  readonly residentBytes: number
}

const msToSeconds = (ms: number): number => ms / 1000
const isoToSeconds = (iso: string): number => msToSeconds(Date.parse(iso))
const toFlag = (isTrue: boolean): number => (isTrue ? 1 : 0)
const sampleIfKnown = (value: number | null): readonly Sample[] => (value === null ? [] : [{ value }])
const sampleForEach = <K extends string>(label: string, keys: readonly K[], numberOf: (key: K) => number) =>
  keys.map((key) => ({ labels: { [label]: key }, value: numberOf(key) }))

const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name: `sluice_${name}`,
  type: 'gauge',
  help,
  samples,
})
const counter = (name: string, help: string, samples: readonly Sample[]): Family => ({
  ...gauge(name, help, samples),
  type: 'counter',
})

const stationFamilies = ({ status, version }: MetricsFacts): readonly Family[] => {
  const { station } = status
  const conditions = station.conditions.map((problem) => ({
    labels: {
      code: problem.code,
      owner: problem.owner,
      needs_attention: String(problemNeedsAttention(problem)),
    },
    value: 1,
  }))
  return [
    gauge('build_info', 'The version of Sluice, and the channel of its updates.', [
      { labels: { version, channel: status.update.channel }, value: 1 },
    ]),
    gauge(
      'station_state',
      'The state of the station: 1 for the current state.',
      sampleForEach('state', stationStates, (state) => toFlag(state === station.state)),
    ),
    gauge('station_paused', 'Whether uploading is paused.', [{ value: toFlag(station.paused) }]),
    gauge('station_condition', 'Current conditions of the whole station: 1 for each.', conditions),
    gauge(
      'service_reachable',
      'Whether the service answers; absent before the first request.',
      sampleIfKnown(station.serviceReachable === null ? null : toFlag(station.serviceReachable)),
    ),
    gauge(
      'clock_offset_seconds',
      'How far the clock of the service is ahead of the clock of this PC.',
      sampleIfKnown(station.clockOffsetMs === null ? null : msToSeconds(station.clockOffsetMs)),
    ),
  ]
}

const recordingFamilies = (facts: MetricsFacts): readonly Family[] => {
  const { status, backlog, holds } = facts
  const nowMs = Date.parse(status.at)
  const oldestAgeS =
    facts.oldestWaitingAtMs === null ? 0 : Math.max(0, msToSeconds(nowMs - facts.oldestWaitingAtMs))
  return [
    gauge(
      'backlog_files',
      'Recordings that are not processed, by state. Dismissed recordings and those of removed folders do not count.',
      sampleForEach('state', liveStates, (state) => backlog[state].files),
    ),
    gauge(
      'backlog_bytes',
      'Bytes that the storage has not acknowledged, of recordings that are not processed, by state.',
      sampleForEach('state', liveStates, (state) => backlog[state].bytes),
    ),
    gauge(
      'recordings',
      'All recordings that the station knows, by standing.',
      sampleForEach<Standing>('standing', standings, (standing) => status.standings[standing]),
    ),
    gauge(
      'oldest_waiting_seconds',
      'Time since Sluice found the oldest recording that is completely written but not processed; 0 if there is none.',
      [{ value: oldestAgeS }],
    ),
    gauge(
      'held_recordings',
      'Recordings with a problem, by who has to act; nobody: the problem clears by itself or was dismissed, or the folder was removed.',
      sampleForEach('owner', Object.keys(holds) as Owner[], (owner) => holds[owner]),
    ),
    gauge(
      'takes_to_check',
      'Recordings that deviate from the expectation or the usual content of their folder and are not dismissed.',
      [{ value: status.takesToCheck.count }],
    ),
    gauge(
      'last_success_timestamp_seconds',
      'When the service last processed a recording.',
      sampleIfKnown(facts.lastProcessedAtMs === null ? null : msToSeconds(facts.lastProcessedAtMs)),
    ),
    counter('sent_bytes_total', 'Bytes sent to the storage since the agent started.', [
      { value: facts.sentBytes },
    ]),
    counter('recordings_processed_total', 'Recordings that the service processed since the agent started.', [
      { value: facts.processed },
    ]),
    counter(
      'failures_total',
      'How often a problem of this kind began since the agent started, for recordings and the station.',
      [...facts.failures].map(([kind, value]) => ({ labels: { kind }, value })),
    ),
  ]
}

const folderFamilies = ({ status }: MetricsFacts): readonly Family[] => {
  const nowMs = Date.parse(status.at)
  const perFolder = (numberOf: (folder: FolderStatus) => number | null): readonly Sample[] =>
    status.folders.flatMap((folder) =>
      sampleIfKnown(numberOf(folder)).map(({ value }) => ({
        labels: { folder: folder.path, site: folder.site },
        value,
      })),
    )
  const isAvailable = ({ state }: FolderStatus) => state === 'watching' || state === 'scanning'
  const silentS = ({ silence }: FolderStatus) =>
    silence === null ? 0 : Math.max(0, msToSeconds(nowMs - Date.parse(silence.since)))
  return [
    gauge(
      'folder_available',
      'Whether the watched folder exists and can be read.',
      perFolder((folder) => toFlag(isAvailable(folder))),
    ),
    gauge(
      'folder_left_out',
      'Files and subfolders that Sluice leaves out, by reason.',
      status.folders.flatMap(({ path, site, problems }) =>
        leftOutCodes.map((code) => ({
          labels: { folder: path, site, code },
          value: problems.find(({ problem }) => problem.code === code)?.leftOutCount ?? 0,
        })),
      ),
    ),
    gauge(
      'folder_silent',
      'Whether the folder usually has recordings by now and has none.',
      perFolder(({ silence }) => toFlag(silence !== null)),
    ),
    gauge(
      'folder_silence_seconds',
      'How long a silent folder has had no new recording; 0 if it is not silent.',
      perFolder(silentS),
    ),
    gauge(
      'folder_last_found_timestamp_seconds',
      'When the newest recording of the folder was found.',
      perFolder(({ lastFoundAt }) => (lastFoundAt === null ? null : isoToSeconds(lastFoundAt))),
    ),
    gauge(
      'folder_waiting_files',
      'Recordings of the folder that still have to be uploaded and need no attention.',
      perFolder(({ waiting }) => waiting),
    ),
  ]
}

const driveFamilies = ({ status }: MetricsFacts): readonly Family[] => {
  const perDrive = (numberOf: (drive: Status['driveSpace'][number]) => number | null): readonly Sample[] =>
    status.driveSpace.flatMap((drive) =>
      sampleIfKnown(numberOf(drive)).map(({ value }) => ({ labels: { drive: drive.name }, value })),
    )
  return [
    gauge(
      'drive_free_bytes',
      'Free space of a drive with a watched folder.',
      perDrive(({ space }) => space?.freeBytes ?? null),
    ),
    gauge(
      'drive_size_bytes',
      'Size of a drive with a watched folder.',
      perDrive(({ space }) => space?.totalBytes ?? null),
    ),
    gauge(
      'drive_low',
      'Whether the drive will probably be full before the next noon, or has almost no free space.',
      perDrive(({ low }) => toFlag(low)),
    ),
    gauge(
      'drive_answering',
      'Whether the drive or share responds.',
      perDrive(({ answering }) => toFlag(answering)),
    ),
  ]
}

const forecastFamilies = ({ status: { forecast, at } }: MetricsFacts): readonly Family[] => {
  const knownForecast = forecast.kind === 'known' ? forecast : null
  const doneAt = forecast.kind === 'nothing' ? at : (knownForecast?.doneAt ?? null)
  return [
    gauge(
      'forecast_done_timestamp_seconds',
      'When the uploads will be done; absent if that is unknown.',
      sampleIfKnown(doneAt === null ? null : isoToSeconds(doneAt)),
    ),
    gauge(
      'forecast_short_bytes',
      'Bytes that will not be uploaded by the end of the upload hours.',
      sampleIfKnown(forecast.kind === 'nothing' ? 0 : (knownForecast?.bytesShort ?? null)),
    ),
  ]
}

const updateFamilies = ({ status: { update } }: MetricsFacts): readonly Family[] => {
  const { offered, lastResult, checkedAt } = update
  return [
    gauge(
      'update_pending',
      'A newer version that the update feed offers to this station: 1 if there is one.',
      offered === null ? [] : [{ labels: { version: offered.version, phase: offered.phase }, value: 1 }],
    ),
    gauge(
      'update_last_success',
      'Whether the last update succeeded; absent before the first one.',
      lastResult === null ? [] : [{ labels: { version: lastResult.version }, value: toFlag(lastResult.ok) }],
    ),
    gauge(
      'update_feed_checked_timestamp_seconds',
      'When Sluice last read a valid update feed; absent without a feed.',
      sampleIfKnown(checkedAt === null ? null : isoToSeconds(checkedAt)),
    ),
  ]
}

/** Metrics of the process, with the usual names of Prometheus exporters. */
const processFamilies = ({ startedAtMs, residentBytes }: MetricsFacts): readonly Family[] => [
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'Start time of the process since unix epoch in seconds.',
    samples: [{ value: msToSeconds(startedAtMs) }],
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory size in bytes.',
    samples: [{ value: residentBytes }],
  },
]

/**
 * The station's metrics for Prometheus. Labels come only from the settings, from the program and from this PC. They
 * contain no recording names, no web addresses and no text from other systems, except the version in a signed update
 * feed.
 */
export const metricsText = (facts: MetricsFacts): string =>
  formatExposition(
    [
      stationFamilies,
      recordingFamilies,
      folderFamilies,
      driveFamilies,
      forecastFamilies,
      updateFamilies,
      processFamilies,
    ].flatMap((familiesOf) => familiesOf(facts)),
    { station: facts.status.station.name },
  )
