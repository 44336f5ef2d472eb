import { z } from 'zod'
import { calledUrl } from './called-url.ts'

/** An address of this PC and a port to listen at. */
export const listeningAt = {
  /** This PC alone, unless another of its addresses is named. */
  address: z
    .union([z.ipv4(), z.ipv6()], 'use an address of this PC, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1'),
  /** 0: any that is free. */
  port: z
    .number('type a number')
    .int('use a whole number')
    .min(0, 'use a port from 1 to 65535')
    .max(65_535, 'use a port from 1 to 65535'),
}

/** Long enough that nobody tries them all. */
const metricsToken = z
  .string()
  .trim()
  .min(16, 'use at least 16 characters')
  .max(512, 'this is too long for a token')
  .regex(/^[\x21-\x7e]*$/, 'use only plain letters, digits and symbols')

const heartbeatUrl = calledUrl('type the URL of the heartbeat')
const alertUrl = calledUrl('type the URL that alerts are sent to')

/** How others learn how this station is; nothing of it unless it is asked for. Token and URLs are kept like keys. */
export const monitoringSettings = z.strictObject({
  /** Where Prometheus asks; at another address than this PC's own only with a token. */
  metrics: z.strictObject({ ...listeningAt, token: metricsToken.optional() }).optional(),
  /** Called while all is well, with /fail behind it when something needs somebody. */
  heartbeat_url: heartbeatUrl.optional(),
  heartbeat_seconds: z.number().min(1).max(86_400).default(300),
  /** Told once when something begins to need somebody, and once when that is over. */
  alert_url: alertUrl.optional(),
})

/** One of the three that the window sets and never reads. */
export const newMonitoringSecret = z.discriminatedUnion('which', [
  z.strictObject({ which: z.literal('token'), value: metricsToken, acceptUnprotected: z.boolean() }),
  z.strictObject({ which: z.literal('heartbeat_url'), value: heartbeatUrl, acceptUnprotected: z.boolean() }),
  z.strictObject({ which: z.literal('alert_url'), value: alertUrl, acceptUnprotected: z.boolean() }),
])

export type MonitoringSettings = z.output<typeof monitoringSettings>
