import type { Inspection } from '../../../shared/status/inspection.ts'
import type { Outcome } from '../domain/failure.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

export type InspectionRequest = {
  readonly path: string
  readonly identity: FileIdentity
  readonly signal: AbortSignal
}

/** Inspects one recording at a time, on a thread. */
export type InspectionThread = {
  /** Stops at a time limit and adds a warning to the result. Fails if the file cannot be read or has changed. */
  readonly inspect: (request: InspectionRequest) => Promise<Outcome<Inspection>>
  readonly close: () => Promise<void>
}
