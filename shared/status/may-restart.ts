import type { Status } from './status.ts'

/** True while no recording is being written, hashed, uploaded or completed. All other work survives a restart. */
export const mayRestart = ({ counts, standings }: Pick<Status, 'counts' | 'standings'>): boolean =>
  standings.recording === 0 && standings.uploading === 0 && counts.hashing === 0 && counts.completing === 0
