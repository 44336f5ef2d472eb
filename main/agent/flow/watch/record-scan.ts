import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { arrivedSince } from '../../domain/arrival.ts'
import { isMarkerName } from '../../domain/marker-file.ts'
import { ROSBAG2_MARKER } from '../../domain/takes.ts'
import type { Journal, NeededFile } from '../../journal/journal.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'
import type { ScanResult } from '../../ports/folders.ts'
import { isJournalInUse } from './database-journals.ts'
import { isLeftoverNotes } from './leftover-notes.ts'
import { isUnchanged, matchScannedFiles } from './match-scanned-files.ts'
import { observeFile } from './observe-file.ts'
import { endMarkerRecordings, markVanished } from './vanished-files.ts'

const FILES_PER_TRANSACTION = 200

const yieldToLoop = () => new Promise((resolve) => setImmediate(resolve))

type World = {
  readonly journal: Journal
  readonly files: Files
  readonly paths: Paths
  readonly folder: FolderSettings
  readonly clock: Pick<Clock, 'wallMs'>
  /** Folders inside this one that have their own settings and watchers. Sluice ignores their files here. */
  readonly inner: readonly string[]
  /**
   * When Sluice first listed the folder completely; null before that. Files from before this time may have a session.
   */
  readonly listedAtMs: number | null
  /**
   * When this run's first complete scan of the folder began; infinity until that scan ends. If the journal was rolled
   * back, files from before this time may have a session.
   */
  readonly firstScanAtMs: number
}

export type RecordedScan = {
  /** Number of new files. New content of a known file does not count. */
  readonly added: number
  /** Bytes of the files that a service has processed, by service. */
  readonly processed: ReadonlyMap<string, number>
  /** Number of files that the watcher of this folder handles. */
  readonly files: number
}

/** Writes the results of a scan to the journal. */
export const recordScan = async (
  result: Extract<ScanResult, { kind: 'scanned' }>,
  firstSeenAtMs: number,
  world: World,
): Promise<RecordedScan> => {
  const { journal, paths, folder, inner } = world
  let added = 0
  const processed = new Map<string, number>()
  let scannedPaths: ReadonlySet<string> | null = null
  const getScannedPaths = () => {
    scannedPaths ??= new Set(result.files.map((file) => file.path))
    return scannedPaths
  }
  const innerOf = paths.finder(inner)
  const ownFiles =
    inner.length === 0 ? result.files : result.files.filter((file) => innerOf(file.path) === null)
  const filesToRecord = folder.ignore_existing
    ? ownFiles.filter((file) => arrivedSince(file.identity, firstSeenAtMs))
    : ownFiles
  for (let from = 0; from < filesToRecord.length; from += FILES_PER_TRANSACTION) {
    const chunk = filesToRecord.slice(from, from + FILES_PER_TRANSACTION)
    const knownRecordings = journal.recordings.seenBefore(chunk.map((file) => file.path))
    const areJournalsInUse = await Promise.all(
      chunk.map(
        ({ path }, index) =>
          knownRecordings[index] === undefined && isJournalInUse(path, getScannedPaths(), world),
      ),
    )
    const changedFiles = chunk.filter(
      (file, index) =>
        !isUnchanged(file, knownRecordings[index], processed) &&
        !(knownRecordings[index] === undefined && isLeftoverNotes(file, world)) &&
        areJournalsInUse[index] !== true,
    )
    if (changedFiles.length > 0) {
      const batch = await matchScannedFiles(changedFiles, getScannedPaths(), world)
      journal.transaction(() => {
        for (const scanned of batch) {
          if (observeFile(scanned, processed, world)) added += 1
          const { path } = scanned.file
          if (paths.nameOf(path) === ROSBAG2_MARKER)
            journal.inspections.repeatBesideMetadata(paths.resolve(path, '..'))
        }
      })
    }
    await yieldToLoop()
  }
  const unreadableOf = paths.finder(result.unreadablePaths.map((entry) => entry.path))
  const missingFiles = journal.recordings
    .neededIn(folder.path)
    .filter((row) => !getScannedPaths().has(row.path) && unreadableOf(row.path) === null)
  const isMarker = ({ path, state }: NeededFile) =>
    state === 'growing' && isMarkerName(paths, path, folder.marker_suffix)
  endMarkerRecordings(missingFiles.filter(isMarker), journal)
  const otherFiles = missingFiles.filter((row) => !isMarker(row))
  for (let from = 0; from < otherFiles.length; from += FILES_PER_TRANSACTION)
    await markVanished(otherFiles.slice(from, from + FILES_PER_TRANSACTION), world)
  return { added, processed, files: filesToRecord.length }
}
