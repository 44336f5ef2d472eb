import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { redact } from '../../../shared/redaction/redact.ts'
import { inspectionJson } from '../../../shared/status/inspection-json.ts'
import type { ReceiptEntry } from '../../../shared/status/receipt.ts'
import type { RecordingState, TimelineEntry } from '../../../shared/status/status.ts'
import { cutText } from '../../../shared/words/escape-text.ts'
import { inspectionDifferences } from '../domain/inspection-differences.ts'
import { shownLabels } from '../domain/naming.ts'
import { takeName } from '../domain/takes.ts'
import type { InspectionStore } from './inspection-store.ts'
import type { PartStore } from './part-store.ts'
import type { RecordingStore } from './recording-store.ts'
import type { Recording } from './row.ts'
import { TAKE_NAMED } from './take-store.ts'
import type { Views } from './views.ts'

/**
 * The recordings that a receipt covers. A period selects recordings by the time when Sluice found them. It includes
 * `sinceMs` but not `untilMs`.
 */
export type ReceiptScope =
  | { readonly kind: 'ids'; readonly ids: readonly number[] }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'period'; readonly sinceMs: number | null; readonly untilMs: number | null }

/** A recording that Sluice retried for weeks has more, but support can look up only recent requests. */
const MAX_REQUESTS = 50
/** An ISO 8601 time is shorter, but the service could send any text. */
const MAX_TIME_LENGTH = 64

const lastEntryTime = (entries: readonly TimelineEntry[], state: RecordingState): string | null =>
  entries.findLast(({ from, to }) => to === state && from !== state)?.at ?? null

/**
 * Except for `found`, uses only times since the last hash, because earlier ones belong to a session that Sluice gave
 * up.
 */
const timesOf = (recording: Recording, timeline: readonly TimelineEntry[]): ReceiptEntry['times'] => {
  const lastHashIndex = timeline.findLastIndex(({ from, to }) => from === 'hashing' && to === 'ready')
  const sinceHash = lastHashIndex === -1 || recording.sha256 === null ? [] : timeline.slice(lastHashIndex)
  return {
    found: new Date(recording.foundAtMs).toISOString(),
    hashed: sinceHash[0]?.at ?? null,
    session_created: recording.sessionId === null ? null : lastEntryTime(sinceHash, 'uploading'),
    completed: lastEntryTime(sinceHash, 'processing'),
    processed: lastEntryTime(sinceHash, 'processed'),
  }
}

const cleanServiceText = (text: string | null | undefined): string | null =>
  text == null ? null : redact(cutText(text, MAX_TIME_LENGTH))

/**
 * Builds receipt entries from the journal. They contain ETags and request ids, but no signed URLs.
 */
export class ReceiptSource {
  readonly #db: Database
  readonly #recordings: RecordingStore
  readonly #parts: PartStore
  readonly #inspections: InspectionStore
  readonly #views: Views
  readonly #paths: Paths

  constructor(
    db: Database,
    stores: {
      readonly recordings: RecordingStore
      readonly parts: PartStore
      readonly inspections: InspectionStore
      readonly views: Views
    },
    paths: Paths,
  ) {
    this.#db = db
    this.#recordings = stores.recordings
    this.#parts = stores.parts
    this.#inspections = stores.inspections
    this.#views = stores.views
    this.#paths = paths
  }

  /** Returns at most `maxIds + 1` ids, so that the caller can detect that there are too many. */
  ids(scope: ReceiptScope, maxIds: number): number[] {
    switch (scope.kind) {
      case 'ids':
        return [...new Set(scope.ids)].slice(0, maxIds + 1)
      case 'path': {
        const { path } = scope
        const recording = this.#recordings.currentByPath(path) ?? this.#recordings.otherSpellings(path)[0]
        // The path may name a take instead of a file.
        return recording === undefined ? this.#takeIds(path, maxIds) : [recording.id]
      }
      case 'session':
        return this.#recordings
          .bySession(scope.session)
          .slice(0, maxIds + 1)
          .map(({ id }) => id)
      case 'period':
        return this.#db
          .prepare(
            `SELECT id FROM recordings INDEXED BY recordings_by_found
             WHERE found_at >= ? AND found_at < ? ORDER BY found_at, id LIMIT ?`,
          )
          .pluck()
          .all(scope.sinceMs ?? 0, scope.untilMs ?? Number.MAX_SAFE_INTEGER, maxIds + 1) as number[]
    }
  }

  #takeIds(take: string, maxIds: number): number[] {
    return this.#db
      .prepare(`SELECT id FROM recordings WHERE ${TAKE_NAMED} AND current = 1 ORDER BY path LIMIT :limit`)
      .pluck()
      .all({ path: take, limit: maxIds + 1 }) as number[]
  }

  entry(id: number, hostName: string): ReceiptEntry | null {
    const recording = this.#recordings.byId(id)
    if (recording === null) return null
    const timeline = this.#views.timeline(id)
    const { session } = recording
    const inspection = this.#inspections.of(id)
    const { site, device } = shownLabels(recording, hostName, this.#paths)
    return {
      path: this.#paths.show(recording.path),
      ...(recording.take === null ? {} : { take: takeName(recording.take, this.#paths) }),
      site: site ?? '',
      device,
      bytes: recording.identity.sizeBytes,
      sha256: recording.sha256,
      state: recording.state,
      current: recording.current,
      service: recording.service,
      session_id: recording.sessionId,
      times: timesOf(recording, timeline),
      service_times: {
        created: cleanServiceText(session?.createdAt),
        processed: cleanServiceText(session?.processedAt),
      },
      ...(recording.removedAtMs === null
        ? {}
        : { removed_at: new Date(recording.removedAtMs).toISOString() }),
      ...(recording.movedTo === null ? {} : { moved_to: this.#paths.show(recording.movedTo) }),
      ...(inspection === null
        ? {}
        : {
            inspection: inspectionJson(inspection),
            deviations: [...this.#inspections.deviationsOf(id)],
            differences: [...inspectionDifferences(inspection, session)],
          }),
      parts: this.#parts.of(id).map(({ number, bytes, sha256, etag }) => ({
        number,
        bytes,
        sha256,
        etag: etag === null ? null : redact(etag),
      })),
      request_ids: timeline
        .flatMap(({ at, to, requestId }) =>
          requestId === null ? [] : [{ at, state: to, id: redact(requestId) }],
        )
        .slice(-MAX_REQUESTS),
    }
  }
}
