import type { Paths } from '../../../shared/paths/paths.ts'
import type { AfterUpload } from '../../../shared/settings/after-upload.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from './file-identity.ts'
import { fitName } from './fit-name.ts'

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

export type RemovalPolicy = Exclude<AfterUpload, { readonly action: 'keep' }>

/** Why a file that is due for removal stays for now. Sluice checks the file again after `afterMs`. */
const waits = {
  'file-changed': { afterMs: HOUR_MS, sentence: 'The file changed after the upload.' },
  'file-gone': { afterMs: DAY_MS, sentence: 'The file is no longer in its folder.' },
  'file-open': { afterMs: 10 * MINUTE_MS, sentence: 'Another program has the file open.' },
  'writer-unseen': {
    afterMs: DAY_MS,
    sentence:
      'Sluice cannot see whether another program still has this file open, so it stays until it has been unchanged for 24 hours.',
  },
  'file-refused': { afterMs: HOUR_MS, sentence: 'Sluice has no permission to remove the file.' },
  'name-hidden': {
    afterMs: 10 * MINUTE_MS,
    sentence: 'Sluice renamed the file to remove it, and can neither remove it nor restore its name now.',
  },
  'target-full': { afterMs: 5 * MINUTE_MS, sentence: 'The target folder is full.' },
  'target-limit': {
    afterMs: HOUR_MS,
    sentence: 'The target folder did not accept the whole file. It may have a size limit or a quota.',
  },
  'target-missing': { afterMs: 5 * MINUTE_MS, sentence: 'The target folder is missing.' },
  'target-replaced': {
    afterMs: 5 * MINUTE_MS,
    sentence: 'The target folder was replaced, or is on a different drive now.',
  },
  'target-refused': { afterMs: HOUR_MS, sentence: 'Sluice cannot write to the target folder.' },
  'target-taken': {
    afterMs: MINUTE_MS,
    sentence: 'A different file already has this name in the target folder.',
  },
  'target-watched': {
    afterMs: HOUR_MS,
    sentence: 'The target folder is a watched folder, is inside one, or contains one.',
  },
  'other-rules': {
    afterMs: DAY_MS,
    sentence: 'The file is now in a nested watched folder with its own rules.',
  },
  'take-unreadable': {
    afterMs: HOUR_MS,
    sentence: 'Sluice cannot read some paths in the file’s folder. They may belong to the same take.',
  },
  'take-not-safe': {
    afterMs: 10 * MINUTE_MS,
    sentence: 'A different file of the same take is not safe yet.',
  },
  'not-processed': { afterMs: 6 * HOUR_MS, sentence: 'The service no longer reports it as processed.' },
  'content-differs': { afterMs: 6 * HOUR_MS, sentence: 'The service reports different content.' },
  'content-unshown': {
    afterMs: 6 * HOUR_MS,
    sentence: 'The service does not report the size and SHA-256 of the file.',
  },
  'too-soon': { afterMs: HOUR_MS, sentence: 'By the service’s clock, it is too early to remove the file.' },
  'no-answer': { afterMs: 5 * MINUTE_MS, sentence: 'The service did not answer.' },
  interrupted: { afterMs: 10_000, sentence: 'The removal was interrupted. Sluice retries soon.' },
} as const satisfies Record<string, { readonly afterMs: number; readonly sentence: string }>

export type Wait = keyof typeof waits
export const isWait = (text: string): text is Wait => Object.hasOwn(waits, text)
export const waitSentence = (wait: Wait): string => waits[wait].sentence
export const waitMs = (wait: Wait): number => waits[wait].afterMs

/**
 * Waits that need no report: the file has left its folder, is checked again within seconds, or follows the rules of a
 * nested folder.
 */
const unreportedWaits: readonly Wait[] = ['file-gone', 'interrupted', 'other-rules']
export const isReported = (wait: Wait): boolean => !unreportedWaits.includes(wait)
export const reportedWaits: readonly Wait[] = (Object.keys(waits) as Wait[]).filter(isReported)

/**
 * When a file may be removed if Sluice cannot detect its writers: 24 hours after its last change. An mtime in the
 * future may come from the recorder, so Sluice ignores it. A ctime always comes from the system's clock. So if it is in
 * the future, the file counts as changed now.
 */
export const removableWithUnseenWriterAtMs = (
  { mtimeNs, ctimeNs }: Pick<FileIdentity, 'mtimeNs' | 'ctimeNs'>,
  nowMs: number,
): number => {
  const [writtenAtMs, changedAtMs] = [Number(mtimeNs) / 1e6, Number(ctimeNs) / 1e6]
  const lastAtMs = Math.max(writtenAtMs > nowMs ? 0 : writtenAtMs, Math.min(changedAtMs, nowMs))
  return Math.ceil(lastAtMs) + DAY_MS
}

type JournalFacts = {
  readonly state: RecordingState
  readonly current: boolean
  readonly paused: boolean
  readonly problem: unknown
  readonly service: string | null
  readonly underTestKey: boolean
  readonly sessionId: string | null
  readonly sha256: string | null
  readonly removedAtMs: number | null
}

/**
 * Whether the journal allows the removal. The configured service must have processed the current content, and not under
 * a test key.
 */
export const isSafeInJournal = (recording: JournalFacts, service: string | null): boolean =>
  recording.state === 'processed' &&
  recording.current &&
  !recording.paused &&
  recording.problem === null &&
  service !== null &&
  recording.service === service &&
  !recording.underTestKey &&
  recording.sessionId !== null &&
  recording.sha256 !== null &&
  recording.removedAtMs === null

type Session = {
  readonly status: string
  readonly sha256: string | null
  readonly bytes: number | null
  readonly createdAt: string | null
  readonly processedAt: string | null
}

/**
 * Why the service's current answer forbids removal (§4.4). Null if the service has processed exactly these bytes. An
 * answer without size or SHA-256 proves nothing, so the file stays.
 */
export const serviceObjection = (
  session: Session,
  recording: { readonly sha256: string | null; readonly identity: { readonly sizeBytes: number } },
): Wait | null => {
  if (session.status !== 'processed') return 'not-processed'
  if (session.sha256 === null || session.bytes === null) return 'content-unshown'
  const isSame =
    session.sha256.toLowerCase() === recording.sha256 && session.bytes === recording.identity.sizeBytes
  return isSame ? null : 'content-differs'
}

/** The service contradicts its earlier answer that the session is `processed`. `not-there`: it denies the session itself. */
export type SessionDenial = 'failed' | 'unfinished' | 'content-differs' | 'not-there'
export const isSessionDenial = (text: string | null): text is SessionDenial =>
  text === 'failed' || text === 'unfinished' || text === 'content-differs' || text === 'not-there'

/** A denial that every answer since `atMs` has repeated. */
export type EarlierDenial = { readonly denial: SessionDenial; readonly atMs: number }

export const sessionDenial = (
  session: Session,
  recording: Parameters<typeof serviceObjection>[1],
): SessionDenial | null => {
  if (session.status === 'failed') return 'failed'
  if (session.status !== 'processed') return 'unfinished'
  return serviceObjection(session, recording) === 'content-differs' ? 'content-differs' : null
}

/**
 * Since when the service has repeated this denial. A time in the future means that the clock was set back, so Sluice
 * counts from now.
 */
export const deniedSinceMs = (earlier: EarlierDenial | null, denial: SessionDenial, nowMs: number): number =>
  earlier?.denial === denial && earlier.atMs <= nowMs ? earlier.atMs : nowMs

/**
 * A lagging replica may deny a session for a while, so Sluice believes a denial only after this delay. The next check
 * is six hours later (see `waits`), so Sluice believes the second denial.
 */
const BELIEVE_SESSION_DENIAL_AFTER_MS = 5 * HOUR_MS

export const isSessionDenialBelieved = (sinceMs: number, nowMs: number): boolean =>
  nowMs - sinceMs >= BELIEVE_SESSION_DENIAL_AFTER_MS

const timeOf = (text: string | null): number | null => {
  const ms = Date.parse(text ?? '')
  return Number.isFinite(ms) ? ms : null
}

/**
 * Checks the retention days by the service's clock too, because this PC's clock may be years ahead. If the service does
 * not report when it finished processing, the retention begins when Sluice stored the result.
 */
export const isTooSoonByServiceClock = (
  { processedAt, createdAt }: Pick<Session, 'processedAt' | 'createdAt'>,
  seenProcessedAtMs: number | null,
  serviceNowMs: number,
  days: number,
): boolean => {
  if (days === 0) return false
  const seenAtMs = Math.max(seenProcessedAtMs ?? serviceNowMs, timeOf(createdAt) ?? 0)
  return serviceNowMs - (timeOf(processedAt) ?? seenAtMs) < days * DAY_MS
}

/**
 * Sluice may remove files that were processed before this time. If free space is low, it may remove every safe file.
 */
export const removalCutoffMs = (policy: RemovalPolicy, nowMs: number, belowFloor: boolean): number =>
  belowFloor ? nowMs : nowMs - policy.days * DAY_MS

export const isBelowFloor = (policy: RemovalPolicy, freeBytes: number | null): boolean =>
  policy.keep_free_bytes !== undefined && freeBytes !== null && freeBytes < policy.keep_free_bytes

/** A removal that frees a smaller share of the file's size counts as freeing no space. */
const MIN_FREED_SHARE = 0.1

/** If less space than this is free after a removal, the removal counts as freeing no space. */
export const expectedFreeBytes = (freeBefore: number, sizeBytes: number): number =>
  freeBefore + Math.max(1, Math.floor(sizeBytes * MIN_FREED_SHARE))

/**
 * The file's path in the target folder. Null if the file is outside its watched folder. If `copy` is 2 or more, the
 * name includes it.
 */
export const movedPath = (
  paths: Paths,
  folder: string,
  to: string,
  file: string,
  copy: number,
): string | null => {
  const inside = paths.nameInside(folder, file)
  return inside === null || inside === '' ? null : numbered(paths.join(to, inside), copy)
}

/** The limit of most drives. */
const MAX_NAME_BYTES = 255

/** "take (2).mcap" for copy 2. Copy 1 keeps its name. Shortens a name that is too long for a drive. */
export const numbered = (path: string, copy: number): string => {
  if (copy <= 1) return path
  const nameStart = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  return path.slice(0, nameStart) + fitName(path.slice(nameStart), MAX_NAME_BYTES, ` (${copy})`)
}
