import type { Status } from './status.ts'

/**
 * True while no recording is being written, hashed, uploaded or completed. Everything else continues after a restart
 * without repeating work.
 */
export const mayRestart = ({ counts, standings }: Pick<Status, 'counts' | 'standings'>): boolean =>
  standings.recording === 0 && standings.uploading === 0 && counts.hashing === 0 && counts.completing === 0
