import { z } from 'zod'
import { calledUrlSchema } from './called-url.ts'
import { weekHours } from './week-hours.ts'

/** A version as in `package.json`: 1.2.3 or 1.2.3-rc.1. */
export const versionText = z
  .string()
  .trim()
  .max(64)
  .regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(-[0-9A-Za-z.-]+)?$/, 'give the whole version, such as 1.2.3')

export const channelName = z
  .string()
  .trim()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'use small letters, digits and hyphens, such as stable')

const minutesPerUnit = { m: 1, h: 60, d: 24 * 60 } as const

/** "24h", "90m" or "3d": the unit is part of the value. */
const durationText = z
  .string()
  .trim()
  .regex(/^\d{1,4}[mhd]$/, 'give a number and a unit, such as 24h, 90m or 3d')

/** The length of "24h" in milliseconds. */
export const durationMs = (text: string): number =>
  Number(text.slice(0, -1)) * minutesPerUnit[text.slice(-1) as keyof typeof minutesPerUnit] * 60_000

/**
 * An ed25519 public key in one line: the base64 text that `openssl pkey -pubout` prints between its two dashed lines.
 */
export const feedKey = z
  .string()
  .trim()
  .regex(
    /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/,
    'give the line of `openssl pkey -pubout` that begins with MCowBQYDK2VwAyEA',
  )

/**
 * Without `feed`, Sluice never checks for updates. `notify` is the default, because a user who sets a feed wants to
 * know its versions. `automatic` is not, because it runs downloaded programs.
 */
export const updateSettings = z.strictObject({
  mode: z.enum(['off', 'notify', 'automatic']).default('notify'),
  /** The URL of the signed index. The files of the feed are beside it. */
  feed: calledUrlSchema('type the URL of the feed').optional(),
  channel: channelName.default('stable'),
  /** Install only this version, and only if it is newer than the running one. */
  version: versionText.optional(),
  /** The percentage of stations that install an update. A larger value includes the stations of a smaller one. */
  percent: z.number('type a number').int('use a whole number').min(0).max(100).default(100),
  /** When Sluice may install an update. At any time if the list is empty. */
  hours: z.array(weekHours).max(50).default([]),
  /** The longest time that an update waits for a quiet moment. */
  wait_at_most: durationText.default('24h'),
})
