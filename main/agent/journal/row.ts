import type { Problem } from '../../../shared/status/problem.ts'
import type { RecordingState, SessionSummary } from '../../../shared/status/status.ts'
import { recordingStates } from '../../../shared/status/status.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

/** A recording as the stages see it. */
export type Recording = {
  readonly id: number
  readonly path: string
  readonly name: string
  readonly folder: string
  /** The take that the file belongs to. Null if the file is a take by itself. */
  readonly take: string | null
  readonly site: string
  readonly device: string | null
  readonly notes: string | null
  readonly state: RecordingState
  /** False if newer content at the path has replaced this recording. */
  readonly current: boolean
  readonly identity: FileIdentity
  readonly foundAtMs: number
  readonly changedAtMs: number
  readonly sha256: string | null
  readonly partSizeBytes: number | null
  readonly partsTotal: number | null
  readonly partsSent: number
  readonly bytesSent: number
  /** The idempotency key of the creation request (§8). */
  readonly createKey: string | null
  readonly createKeyAtMs: number | null
  /** When `createKey` was stored, by the service's clock. Null if unknown. */
  readonly createKeyServiceMs: number | null
  readonly createBody: string | null
  readonly findSessionFirst: boolean
  /**
   * The idempotency key of the completion. Sluice stores the key before the first completion request, and clears it
   * after a refusal. While the key is stored, the session may be complete.
   */
  readonly completeKey: string | null
  readonly completeKeyAtMs: number | null
  readonly sessionId: string | null
  /**
   * True if a search found the session. A different station may have created this session. So Sluice deletes the
   * session only if the service also returns it for this recording's idempotency key.
   */
  readonly adopted: boolean
  /** The service that has the session, by the name that `StationStore.service` returned. */
  readonly service: string | null
  /** True if Sluice opened the session with a test key (§5.3). */
  readonly underTestKey: boolean
  readonly urlsExpireAtMs: number | null
  readonly attempts: number
  readonly nextAttemptAtMs: number
  readonly mismatches: number
  /** Why the recording waits. For `failed` and `gone`: why it ended. */
  readonly problem: Problem | null
  readonly heldSinceMs: number | null
  readonly prioritised: boolean
  readonly paused: boolean
  readonly duplicateOf: number | null
  readonly session: SessionSummary | null
  /** When the recording last entered the state `processed`, by this PC's clock. */
  readonly processedAtMs: number | null
  /** When Sluice removed the file from its folder; null if Sluice did not remove it. */
  readonly removedAtMs: number | null
  readonly movedTo: string | null
}

/**
 * A row as SQLite returns it. The tables are STRICT, so SQLite enforces the column types. `toColumns` wrote the JSON,
 * so the JSON is valid.
 */
type Row = {
  readonly id: number
  readonly path: string
  readonly name: string
  readonly folder: string
  readonly take: string | null
  readonly site: string
  readonly device: string | null
  readonly notes: string | null
  readonly state: string
  readonly current: number
  readonly file_device: string
  readonly file_inode: string
  readonly bytes: number
  readonly mtime_ns: string
  readonly ctime_ns: string
  readonly born_ns: string | null
  readonly found_at: number
  readonly changed_at: number
  readonly sha256: string | null
  readonly part_size: number | null
  readonly parts_total: number | null
  readonly parts_sent: number
  readonly bytes_sent: number
  readonly create_key: string | null
  readonly create_key_at: number | null
  readonly create_key_service_at: number | null
  readonly create_body: string | null
  readonly look_first: number
  readonly complete_key: string | null
  readonly complete_key_at: number | null
  readonly session_id: string | null
  readonly adopted: number
  readonly service: string | null
  readonly test_key: number
  readonly urls_expire_at: number | null
  readonly attempts: number
  readonly next_attempt_at: number
  readonly mismatches: number
  readonly problem: string | null
  readonly held_since: number | null
  readonly prioritised: number
  readonly paused: number
  readonly duplicate_of: number | null
  readonly session: string | null
  readonly processed_at: number | null
  readonly removed_at: number | null
  readonly moved_to: string | null
}

const states: ReadonlySet<string> = new Set(recordingStates)
const isState = (text: string): text is RecordingState => states.has(text)

/** Checks the state, because the database does not constrain this column. */
const stateOf = ({ id, state }: Row): RecordingState => {
  if (isState(state)) return state
  throw new Error(`recording ${id} has the unknown state ${state}`)
}

const fromJson = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T))

/**
 * Converts a row, so that the stages see neither column names nor 0/1 flags. The conversion is written by hand, because
 * a schema parser needed more time per row than SQLite did.
 */
const recordingOf = (row: Row): Recording => ({
  id: row.id,
  path: row.path,
  name: row.name,
  folder: row.folder,
  take: row.take,
  site: row.site,
  device: row.device,
  notes: row.notes,
  state: stateOf(row),
  current: row.current !== 0,
  identity: {
    device: row.file_device,
    inode: row.file_inode,
    sizeBytes: row.bytes,
    mtimeNs: row.mtime_ns,
    ctimeNs: row.ctime_ns,
    ...(row.born_ns === null ? {} : { bornNs: row.born_ns }),
  },
  foundAtMs: row.found_at,
  changedAtMs: row.changed_at,
  sha256: row.sha256,
  partSizeBytes: row.part_size,
  partsTotal: row.parts_total,
  partsSent: row.parts_sent,
  bytesSent: row.bytes_sent,
  createKey: row.create_key,
  createKeyAtMs: row.create_key_at,
  createKeyServiceMs: row.create_key_service_at,
  createBody: row.create_body,
  findSessionFirst: row.look_first !== 0,
  completeKey: row.complete_key,
  completeKeyAtMs: row.complete_key_at,
  sessionId: row.session_id,
  adopted: row.adopted !== 0,
  service: row.service,
  underTestKey: row.test_key !== 0,
  urlsExpireAtMs: row.urls_expire_at,
  attempts: row.attempts,
  nextAttemptAtMs: row.next_attempt_at,
  mismatches: row.mismatches,
  problem: fromJson<Problem>(row.problem),
  heldSinceMs: row.held_since,
  prioritised: row.prioritised !== 0,
  paused: row.paused !== 0,
  duplicateOf: row.duplicate_of,
  session: fromJson<SessionSummary>(row.session),
  processedAtMs: row.processed_at,
  removedAtMs: row.removed_at,
  movedTo: row.moved_to,
})

export const toRecording = (row: unknown): Recording => recordingOf(row as Row)
export const toRecordings = (rows: readonly unknown[]): Recording[] => rows.map(toRecording)

/** The fields of `Recording` that a stage may change. */
export type RecordingPatch = {
  readonly identity?: FileIdentity
  readonly sha256?: string | null
  readonly partSizeBytes?: number | null
  readonly partsTotal?: number | null
  readonly createKey?: string | null
  readonly createKeyAtMs?: number | null
  readonly createKeyServiceMs?: number | null
  readonly createBody?: string | null
  readonly findSessionFirst?: boolean
  readonly completeKey?: string | null
  readonly completeKeyAtMs?: number | null
  readonly sessionId?: string | null
  readonly adopted?: boolean
  readonly service?: string | null
  readonly underTestKey?: boolean
  readonly urlsExpireAtMs?: number | null
  readonly attempts?: number
  readonly nextAttemptAtMs?: number
  readonly mismatches?: number
  readonly site?: string
  readonly device?: string | null
  readonly notes?: string | null
  readonly problem?: Problem | null
  readonly heldSinceMs?: number | null
  readonly prioritised?: boolean
  readonly paused?: boolean
  readonly duplicateOf?: number | null
  readonly session?: SessionSummary | null
}

const toInteger = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))
const toJson = (value: object | null | undefined) =>
  value === undefined || value === null ? value : JSON.stringify(value)

/** The column values of a patch. A patch that sets `problem` to null also clears `held_since`. */
export const toColumns = (patch: RecordingPatch): Record<string, string | number | null> => {
  const columns = {
    file_device: patch.identity?.device,
    file_inode: patch.identity?.inode,
    bytes: patch.identity?.sizeBytes,
    mtime_ns: patch.identity?.mtimeNs,
    ctime_ns: patch.identity?.ctimeNs,
    born_ns: patch.identity === undefined ? undefined : (patch.identity.bornNs ?? null),
    sha256: patch.sha256,
    part_size: patch.partSizeBytes,
    parts_total: patch.partsTotal,
    create_key: patch.createKey,
    create_key_at: patch.createKeyAtMs,
    create_key_service_at: patch.createKeyServiceMs,
    create_body: patch.createBody,
    look_first: toInteger(patch.findSessionFirst),
    complete_key: patch.completeKey,
    complete_key_at: patch.completeKeyAtMs,
    session_id: patch.sessionId,
    adopted: toInteger(patch.adopted),
    service: patch.service,
    test_key: toInteger(patch.underTestKey),
    urls_expire_at: patch.urlsExpireAtMs,
    attempts: patch.attempts,
    next_attempt_at: patch.nextAttemptAtMs,
    mismatches: patch.mismatches,
    problem: toJson(patch.problem),
    problem_code: patch.problem === undefined ? undefined : (patch.problem?.code ?? null),
    ends_by: patch.problem === undefined ? undefined : (patch.problem?.endsBy ?? null),
    held_since: patch.problem === null ? null : patch.heldSinceMs,
    site: patch.site,
    device: patch.device,
    notes: patch.notes,
    prioritised: toInteger(patch.prioritised),
    paused: toInteger(patch.paused),
    duplicate_of: patch.duplicateOf,
    session: toJson(patch.session),
  }
  const patchColumns: Record<string, string | number | null> = {}
  for (const [name, value] of Object.entries(columns)) if (value !== undefined) patchColumns[name] = value
  return patchColumns
}
