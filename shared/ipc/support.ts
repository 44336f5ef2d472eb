import type { Problem, RecordingState, Status, TimelineEntry } from '../status/status.ts'

export type JournalHealth = {
  readonly intact: boolean
  /** What SQLite says is wrong with it. */
  readonly trouble: string | null
  readonly bytes: number
  readonly backedUpAt: string | null
}

/** A host that parts have been sent to. */
export type UploadHost = { readonly host: string; readonly firstSeenAt: string }

/** What the agent gives to a report for support; newest first. */
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
  /** The last answers of the service that can be quoted. */
  readonly requests: readonly (TimelineEntry & { readonly path: string })[]
}
