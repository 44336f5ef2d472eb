import type { Status } from '../../shared/status/status.ts'

/**
 * Whether uploads are stopped: paused, blocked by a problem, or outside the upload hours without an upload that a user
 * started anyway (`uploadNow`).
 */
export const areUploadsStopped = ({
  paused,
  problem,
  outsideWindowUntil,
  uploadNow,
}: Status['station']): boolean =>
  paused || problem !== null || (outsideWindowUntil !== null && uploadNow === null)
