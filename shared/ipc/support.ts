import type { Problem } from '../status/problem.ts'
import type { RecordingState, Status, TimelineEntry } from '../status/status.ts'

export type JournalHealth = {
  readonly intact: boolean
  /** SQLite's description of the damage. */
  readonly trouble: string | null
  readonly bytes: number
  readonly backedUpAt: string | null
}

/** A host that received parts. */
export type UploadHost = { readonly host: string; readonly firstSeenAt: string }

/** The agent's part of a support report. `problems` and `requests` are newest first, `uploadHosts` oldest first. */
export type SupportFacts = {
  readonly status: Status
  readonly journal: JournalHealth
  readonly uploadHosts: readonly UploadHost[]
  readonly problems: readonly {
    readonly path: string
    readonly state: RecordingState
    readonly changedAt: string
    readonly sessionId: string | null
    readonly problem: Problem | null
  }[]
  /** The latest timeline entries with a request ID. */
  readonly requests: readonly (TimelineEntry & { readonly path: string })[]
}
