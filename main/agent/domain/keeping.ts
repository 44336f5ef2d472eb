import type { Paths } from '../../../shared/paths/paths.ts'
import type { AfterUpload } from '../../../shared/settings/after-upload.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from './file-identity.ts'

/** When a file may leave this PC, and why a due file stays: the pure rules of the keeper. */

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

export type Leaving = Exclude<AfterUpload, { readonly action: 'keep' }>

/** Why a due file stays for now. Sluice checks each again after `afterMs`. */
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
  'target-full': { afterMs: 5 * MINUTE_MS, sentence: 'The target folder is full.' },
  'target-missing': { afterMs: 5 * MINUTE_MS, sentence: 'The target folder is missing.' },
  'target-replaced': {
    afterMs: 5 * MINUTE_MS,
    sentence: 'The target folder was replaced, or is on a different drive now.',
  },
  'target-refused': { afterMs: HOUR_MS, sentence: 'Sluice cannot write to the target folder.' },
  'target-taken': { afterMs: MINUTE_MS, sentence: 'Another file took its name in the target folder.' },
  'target-watched': { afterMs: HOUR_MS, sentence: 'The target folder is inside a watched folder.' },
  'other-rules': { afterMs: DAY_MS, sentence: 'It is in a folder with its own rules.' },
  'not-processed': { afterMs: 6 * HOUR_MS, sentence: 'The service no longer reports it as processed.' },
  'content-differs': { afterMs: 6 * HOUR_MS, sentence: 'The service reports different content.' },
  'content-unshown': { afterMs: 6 * HOUR_MS, sentence: 'The service does not report its size and SHA-256.' },
  'too-soon': { afterMs: HOUR_MS, sentence: 'It is too early by the service’s clock.' },
  'no-answer': { afterMs: 5 * MINUTE_MS, sentence: 'The service did not answer.' },
  interrupted: { afterMs: 10_000, sentence: 'It was interrupted. Sluice retries soon.' },
} as const satisfies Record<string, { readonly afterMs: number; readonly sentence: string }>

export type Wait = keyof typeof waits
export const isWait = (text: string): text is Wait => Object.hasOwn(waits, text)
export const waitSentence = (wait: Wait): string => waits[wait].sentence
export const waitMs = (wait: Wait): number => waits[wait].afterMs

/**
 * When a file may leave if Sluice cannot see whether a program writes to it. A recorder can set the mtime, so an mtime in
 * the future is ignored. Only the system sets the ctime, so a ctime in the future counts as now.
 */
export const unseenLeavesAtMs = (
  { mtimeNs, ctimeNs }: Pick<FileIdentity, 'mtimeNs' | 'ctimeNs'>,
  nowMs: number,
): number => {
  const [writtenAtMs, changedAtMs] = [Number(mtimeNs) / 1e6, Number(ctimeNs) / 1e6]
  const lastAtMs = Math.max(writtenAtMs > nowMs ? 0 : writtenAtMs, Math.min(changedAtMs, nowMs))
  return Math.ceil(lastAtMs) + DAY_MS
}

type Volume = { readonly device: string; readonly inode: string }

/** The birth time of a folder, behind its inode number; null where the drive or an older journal row has none. */
const bornNsOf = ({ inode }: Volume): string | null => {
  const [, bornNs = '0'] = inode.split(':')
  return bornNs === '0' ? null : bornNs
}

/**
 * Whether a folder is still on the drive that was there before. A restart may give a drive another device number, and may
 * give its number to another drive. FAT renumbers inodes. Only the birth time of the folder survives all three. Where there
 * is none, one equal number has to do: the folder that an absent drive leaves at its place differs in both.
 */
export const isSameDrive = (known: Volume, now: Volume): boolean => {
  const [before, after] = [bornNsOf(known), bornNsOf(now)]
  if (before !== null && after !== null && before !== after) return false
  return known.device === now.device || known.inode === now.inode
}

type Kept = {
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

/** What the journal has to say: processed with a live key in the service that is configured now, and nothing else. */
export const journalSaysSafe = (recording: Kept, service: string | null): boolean =>
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
  readonly processedAt: string | null
}

/**
 * What the service has to say at that very moment (§4.4); null when it still has exactly these bytes, processed. What
 * it does not show proves nothing, so the file stays.
 */
export const serviceObjection = (
  session: Session,
  recording: { readonly sha256: string | null; readonly identity: { readonly sizeBytes: number } },
): Wait | null => {
  if (session.status !== 'processed') return 'not-processed'
  if (session.sha256 === null || session.bytes === null) return 'content-unshown'
  const same =
    session.sha256.toLowerCase() === recording.sha256 && session.bytes === recording.identity.sizeBytes
  return same ? null : 'content-differs'
}

/** A PC's clock may be set years ahead; the service's own word on when it was processed, by its own clock, holds too. */
export const tooSoonByService = (session: Session, serviceNowMs: number, days: number): boolean => {
  const processedAtMs = Date.parse(session.processedAt ?? '')
  return Number.isFinite(processedAtMs) && serviceNowMs - processedAtMs < days * DAY_MS
}

/** Processed until then, by this PC's clock: below the floor of free room, all that is safe. */
export const leavesIfProcessedBy = (policy: Leaving, nowMs: number, belowFloor: boolean): number =>
  belowFloor ? nowMs : nowMs - policy.days * DAY_MS

export const isBelowFloor = (policy: Leaving, freeBytes: number | null): boolean =>
  policy.keep_free_bytes !== undefined && freeBytes !== null && freeBytes < policy.keep_free_bytes

/** Less than this share of a file's size is no room that its leaving made. */
const ROOM_SHARE = 0.1

/** How much must be free, after a file of this size has left, for its leaving to have been of use. */
export const roomWanted = (freeBefore: number, sizeBytes: number): number =>
  freeBefore + Math.max(1, Math.floor(sizeBytes * ROOM_SHARE))

/** The path below the target folder, as below its own folder. Copy 1 keeps its name, copy 2 is "take (2).mcap". */
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

/** "take (2).mcap" for copy 2. Copy 1 keeps its name. */
export const numbered = (path: string, copy: number): string => {
  if (copy <= 1) return path
  const dot = path.lastIndexOf('.')
  const hasEnding = dot > Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  const stem = hasEnding ? path.slice(0, dot) : path
  return `${stem} (${copy})${hasEnding ? path.slice(dot) : ''}`
}
