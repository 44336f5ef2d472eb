import type { SessionSummary } from '../../../shared/status/status.ts'

/** What the service says of a session, without what belongs to the upload. */
export const summaryOf = (session: SessionSummary): SessionSummary => ({
  id: session.id,
  status: session.status,
  site: session.site,
  device: session.device,
  filename: session.filename,
  bytes: session.bytes,
  recordedAt: session.recordedAt,
  durationS: session.durationS,
  channels: session.channels,
  segmentCount: session.segmentCount,
  issues: session.issues,
  createdAt: session.createdAt,
  processedAt: session.processedAt,
})

/**
 * Where the service is with it. `uploaded` is in §3 without how a session enters or leaves it, and a later preview may
 * invent states: only a completion shows which, because the service refuses a second one.
 */
export type RemoteStage = 'uploading' | 'unclear' | 'processing' | 'processed' | 'failed'

export const stageOf = (status: string): RemoteStage => {
  switch (status) {
    case 'uploading':
    case 'processing':
    case 'processed':
    case 'failed':
      return status
    default:
      return 'unclear'
  }
}

/**
 * §3 does not show what a session reads once its completion was refused. One that reads `failed` then has been closed
 * without the content: nothing of it is stored, and it cannot be completed any more.
 */
export const wasClosedUnaccepted = (status: string, mismatches: number): boolean =>
  mismatches > 0 && stageOf(status) === 'failed'

/** The service has all of it and has begun its work: such a session is never deleted by Sluice itself. */
export const isComplete = (status: string): boolean => {
  const stage = stageOf(status)
  return stage === 'processing' || stage === 'processed' || stage === 'failed'
}
