import { createHmac } from 'node:crypto'

/** §6.3: the HMAC of the timestamp, a dot and the raw body, with the endpoint's secret as its key. */
export function serviceSignature(secret: string, unixSeconds: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex')
  return `t=${unixSeconds},v1=${digest}`
}
