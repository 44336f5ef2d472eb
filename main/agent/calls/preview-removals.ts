import { setImmediate } from 'node:timers/promises'
import type { RemovalPreview } from '../../../shared/ipc/removal-preview.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { AfterUpload } from '../../../shared/settings/after-upload.ts'
import { sameFile } from '../domain/file-identity.ts'
import { DAY_MS, isBelowFloor, type RemovalPolicy, removalCutoffMs } from '../domain/removal-rules.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { FileOperations, Files } from '../ports/files.ts'

/** The preview checks only this many files on the drive. It counts the others from the journal. */
const MAX_CHECKED_FILES = 2_000
const LISTED_FILES = 20
const FILES_PER_STEP = 50

const iso = (ms: number): string => new Date(ms).toISOString()
const emptyPreview: RemovalPreview = {
  blockedBy: null,
  count: 0,
  bytes: 0,
  early: 0,
  checkedFirst: null,
  oldest: null,
  files: [],
  staying: 0,
  underTestKey: 0,
  nextAt: null,
}

type World = {
  readonly journal: Journal
  readonly files: Pick<Files, 'identify' | 'freeBytes'>
  readonly operations: Pick<FileOperations, 'sameDrive'>
  readonly paths: Paths
  readonly nowMs: number
}

/**
 * True if the file is unchanged and ready to be removed. Only the removal itself checks the content and asks the
 * service.
 */
const isReady = async ({ journal, files }: World, recording: Recording): Promise<boolean> => {
  const waits = journal.removals.of(recording.id)?.waits ?? null
  if (waits !== null && waits !== 'interrupted' && waits !== 'no-answer') return false
  const identified = await files.identify(recording.path)
  return identified.ok && sameFile(identified.value, recording.identity)
}

/**
 * How many bytes to remove early for the required free space. 0 if this is unknown, or if a removal would free no
 * space.
 */
const findBytesToFree = async (world: World, folder: string, policy: RemovalPolicy): Promise<number> => {
  const { files, operations, journal } = world
  const freeBytes = await files.freeBytes(folder)
  if (freeBytes === null || !isBelowFloor(policy, freeBytes)) return 0
  if (freeBytes < (journal.volumes.noSpaceGained(folder)?.wantedBytes ?? 0)) return 0
  if (policy.action === 'move' && (await operations.sameDrive(folder, policy.to))) return 0
  return (policy.keep_free_bytes ?? 0) - freeBytes
}

/**
 * Lists the files that the rules in `policy` would remove from the folder now. The rules may be unsaved. `folders`: all
 * watched folders, because a nested folder has its own rules.
 */
export const previewRemovals = async (
  world: World,
  folder: string,
  policy: AfterUpload,
  folders: readonly string[],
): Promise<RemovalPreview> => {
  const { journal, paths, nowMs } = world
  const service = journal.station.serviceInUse()
  if (policy.action === 'keep' || service === null) return emptyPreview
  if (journal.station.usesTestKey()) return { ...emptyPreview, blockedBy: 'test-key' }
  const cutoffMs = removalCutoffMs(policy, nowMs, false)
  const innermost = paths.finder(folders)
  const bytesToFree = await findBytesToFree(world, folder, policy)
  const dueFigures = journal.removals.figures(folder, cutoffMs, service)
  const found = journal.removals.all(
    folder,
    bytesToFree > 0 ? nowMs : cutoffMs,
    service,
    MAX_CHECKED_FILES + 1,
  )
  const candidates = found.slice(0, MAX_CHECKED_FILES)
  let isComplete = found.length === candidates.length
  const removable: Recording[] = []
  let stayingCount = 0
  let removableBytes = 0
  let earlyCount = 0
  for (const [index, recording] of candidates.entries()) {
    const isEarly = (recording.processedAtMs ?? nowMs) > cutoffMs
    if (isEarly && removableBytes >= bytesToFree) {
      isComplete = true
      break
    }
    if (index % FILES_PER_STEP === 0) await setImmediate()
    const innermostFolder = innermost(recording.path)
    const isOwnFile = innermostFolder === null || paths.same(innermostFolder, folder)
    if (!isOwnFile || !(await isReady(world, recording))) {
      if (!isEarly) stayingCount += 1
      continue
    }
    removable.push(recording)
    removableBytes += recording.identity.sizeBytes
    if (isEarly) earlyCount += 1
  }
  const checkedRecordings = candidates.filter(({ processedAtMs }) => (processedAtMs ?? nowMs) <= cutoffMs)
  const uncheckedFigures = {
    count: dueFigures.count - checkedRecordings.length,
    bytes: dueFigures.bytes - checkedRecordings.reduce((sum, { identity }) => sum + identity.sizeBytes, 0),
  }
  const [first] = removable
  return {
    blockedBy: null,
    count: removable.length + uncheckedFigures.count,
    bytes: removableBytes + uncheckedFigures.bytes,
    early: earlyCount,
    checkedFirst: isComplete ? null : candidates.length,
    oldest: first?.processedAtMs == null ? null : iso(first.processedAtMs),
    files: removable.slice(0, LISTED_FILES).map(({ path, identity, processedAtMs }) => ({
      path: paths.show(path),
      bytes: identity.sizeBytes,
      processedAt: iso(processedAtMs ?? nowMs),
    })),
    staying: stayingCount,
    underTestKey: journal.removals.underTestKey(folder, cutoffMs, service),
    nextAt:
      dueFigures.nextProcessedAtMs === null ? null : iso(dueFigures.nextProcessedAtMs + policy.days * DAY_MS),
  }
}
