import type { SessionSummary } from '../../../shared/status.ts'

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

/** Where the service is with it (§3); a state that a later preview invents counts as under way. */
export type RemoteStage = 'uploading' | 'under-way' | 'processed' | 'failed'

export const stageOf = (status: string): RemoteStage => {
  switch (status) {
    case 'uploading':
    case 'processed':
    case 'failed':
      return status
    default:
      return 'under-way'
  }
}
