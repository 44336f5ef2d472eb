import type { Status } from '../../shared/status/status.ts'

/** “Upload now anyway” (`uploadNow`) overrides the upload hours, but not a pause or a problem. */
export const areUploadsStopped = ({
  paused,
  problem,
  outsideWindowUntil,
  uploadNow,
}: Status['station']): boolean =>
  paused || problem !== null || (outsideWindowUntil !== null && uploadNow === null)
