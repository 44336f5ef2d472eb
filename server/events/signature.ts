import { createHmac } from 'node:crypto'

/** §6.3: the timestamp, a dot and the raw body, keyed with the endpoint's secret. */
export function serviceSignature(secret: string, unixSeconds: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex')
  return `t=${unixSeconds},v1=${digest}`
}
