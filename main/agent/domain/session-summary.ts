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
 * The progress of a session at the service. §3 does not say when a session is `uploaded`, and a later preview may add
 * statuses (§9.3). All these are `unclear`. The completer then requests completion, which the service refuses if the
 * session is complete.
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
 * After a checksum mismatch, the service refuses the completion, and §3 does not define the status. If it is `failed`,
 * the service closed the session without the content, so nothing can complete it.
 */
export const wasClosedWithoutContent = (status: string, mismatches: number): boolean =>
  mismatches > 0 && stageOf(status) === 'failed'

/** Whether the session is processing, processed or failed. Sluice never deletes such a session by itself. */
export const isComplete = (status: string): boolean => {
  const stage = stageOf(status)
  return stage === 'processing' || stage === 'processed' || stage === 'failed'
}
