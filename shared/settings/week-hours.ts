import { z } from 'zod'

/** "18:00". 24:00 is allowed, so that upload hours can end at midnight. */
export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'use HH:MM, for example 18:00')

const weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])
const everyDay = weekday.options

/**
 * The same hours on one or more days. If `to` is before `from`, the hours end on the next day. If both are equal, the
 * hours are the whole day.
 */
export const weekHours = z.strictObject({
  days: z.array(weekday).min(1).default(everyDay),
  from: timeOfDay,
  to: timeOfDay,
})

/** One entry of the upload hours. Without entries, uploads may run at any time. */
export const uploadWindow = weekHours.extend({ limit_mbit_per_s: z.number().positive().optional() })
