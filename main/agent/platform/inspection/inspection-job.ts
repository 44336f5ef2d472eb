import type { Inspection } from '../../../../shared/status/inspection.ts'
import type { Failure } from '../../domain/failure.ts'
import type { FileIdentity } from '../../domain/file-identity.ts'

export type InspectionJob = {
  readonly path: string
  readonly root: string | null
  readonly identity: FileIdentity
  readonly timeLimitMs: number
}

export type InspectionAnswer =
  | { readonly kind: 'inspected'; readonly inspection: Inspection }
  | { readonly kind: 'failed'; readonly failure: Failure }
