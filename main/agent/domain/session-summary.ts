import type { SessionSummary } from '../../../shared/status/status.ts'

/** A session without the fields of its upload. */
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
 * The progress of a session at the service. §3 lists `uploaded`, but not how a session enters or leaves that status. A
 * later preview of the service may add statuses (§9.3). `uploaded` and unknown statuses have the stage `unclear`. In
 * this stage, the completer requests completion. If the session is already complete, the service refuses the request.
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
 * §3 does not define the status of a session after the service found a different checksum and refused the completion.
 * If the status is `failed`, the service closed the session without storing the content. Such a session cannot be
 * completed any more.
 */
export const wasClosedWithoutContent = (status: string, mismatches: number): boolean =>
  mismatches > 0 && stageOf(status) === 'failed'

/**
 * The session is no longer open: it is processing, processed or failed. Sluice never deletes such a session by itself.
 */
export const isComplete = (status: string): boolean => {
  const stage = stageOf(status)
  return stage === 'processing' || stage === 'processed' || stage === 'failed'
}
