import type { Clock } from '../ports.ts'

export const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }
