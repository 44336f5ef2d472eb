import { z } from 'zod'
import { calledUrlSchema } from './called-url.ts'

/** An address of this PC and a port to listen on. */
export const listeningFields = {
  /** Reachable from this PC only, by default. */
  address: z
    .union([z.ipv4(), z.ipv6()], 'use an address of this PC, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1'),
  /** 0: any free port. */
  port: z
    .number('type a number')
    .int('use a whole number')
    .min(0, 'use a port from 1 to 65535')
    .max(65_535, 'use a port from 1 to 65535'),
}

/** Even the shortest token is too long to guess. */
const metricsToken = z
  .string()
  .trim()
  .min(16, 'use at least 16 characters')
  .max(512, 'this is too long for a token')
  .regex(/^[\x21-\x7e]*$/, 'use only plain letters, digits and symbols')

const heartbeatUrl = calledUrlSchema('type the URL of the heartbeat')
const alertUrl = calledUrlSchema('type the URL that alerts are sent to')

/** Everything here is off by default. The token and the URLs are stored like keys. */
export const monitoringSettings = z.strictObject({
  /** The endpoint for Prometheus. Any address except loopback needs a token. */
  metrics: z.strictObject({ ...listeningFields, token: metricsToken.optional() }).optional(),
  /** Sluice calls this URL regularly, with `/fail` appended to the path while something needs attention. */
  heartbeat_url: heartbeatUrl.optional(),
  heartbeat_seconds: z.number().min(1).max(86_400).default(300),
  /** Receives a message when something needs attention, and a second message when this is resolved. */
  alert_url: alertUrl.optional(),
})

/** One of the three secrets. The window can set them, but never read them. */
export const newMonitoringSecret = z.discriminatedUnion('which', [
  z.strictObject({ which: z.literal('token'), value: metricsToken, acceptUnprotected: z.boolean() }),
  z.strictObject({ which: z.literal('heartbeat_url'), value: heartbeatUrl, acceptUnprotected: z.boolean() }),
  z.strictObject({ which: z.literal('alert_url'), value: alertUrl, acceptUnprotected: z.boolean() }),
])

export type MonitoringSettings = z.output<typeof monitoringSettings>
