import type { Status } from '../../shared/status/status.ts'

/** Nothing is sent just now, whatever is begun: paused, stopped by a problem, or outside the upload hours. */
export const isHeld = ({ paused, problem, outsideWindowUntil }: Status['station']): boolean =>
  paused || problem !== null || outsideWindowUntil !== null
