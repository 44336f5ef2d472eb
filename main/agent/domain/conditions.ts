import type { ProblemCode } from '../../../shared/status/status.ts'

/** What can be true of the whole station, several at once; the gravest first. */
export const conditionNames = [
  'disk',
  'key',
  'organisation',
  'control',
  'storage',
  'managed',
  'clock',
  'webhooks',
  'metrics',
  'monitoring',
] as const
export type ConditionName = (typeof conditionNames)[number]

/** `asking`: no request at all. `sending`: no part. `nothing`: it is told, and everything goes on. */
export const stops = {
  disk: 'asking',
  key: 'asking',
  organisation: 'asking',
  control: 'asking',
  storage: 'sending',
  managed: 'nothing',
  clock: 'nothing',
  webhooks: 'nothing',
  metrics: 'nothing',
  monitoring: 'nothing',
} as const satisfies Record<ConditionName, 'asking' | 'sending' | 'nothing'>

/** Told, and in nobody's way: what a terminal knows of a condition is its problem. */
export const stopsNothing = (code: ProblemCode): boolean =>
  code === 'clock-wrong' || code === 'managed-settings-bad' || /^(webhook|metrics|monitoring)-/.test(code)

/** A probe that fails makes the next one wait longer, up to this. */
export const LONGEST_PROBE_GAP_MS = 60_000

/** What a condition is called at the control API, and what at the storage. */
export const remoteCodes = {
  control: {
    unreachable: 'service-unreachable',
    error: 'service-error',
    foreign: 'service-answer-unreadable',
    busy: 'rate-limited',
  },
  storage: {
    unreachable: 'storage-unreachable',
    error: 'storage-error',
    foreign: 'storage-answer-unreadable',
    busy: 'storage-busy',
  },
} as const satisfies Record<
  'control' | 'storage',
  Record<'unreachable' | 'error' | 'foreign' | 'busy', ProblemCode>
>
