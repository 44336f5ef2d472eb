import type { Clock } from '../ports/clock.ts'

export const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }
