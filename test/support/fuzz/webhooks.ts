import { connect } from 'node:net'
import fc from 'fast-check'
import type { Listener } from '../../../main/agent/ports/webhooks.ts'
import { listenForWebhooks } from '../../../main/agent/service/webhook-receiver.ts'
import { verifyWebhook } from '../../../shared/webhook-verifier/verify-webhook.ts'
import { waitForClose } from '../wait-for-close.ts'
import { eventBody, post, signatureOf } from '../webhooks/deliver.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText, hostileValue, longText, mutationsOf } from './hostile-input.ts'

const SECRET = 'whsec_7f-of~the.inputs'
const NOW_MS = Date.parse('2026-11-15T18:00:00Z')
const validBody = eventBody('evt_1', 'ses_1')

const asBytes = (value: unknown): Buffer => {
  try {
    return Buffer.from(JSON.stringify(value) ?? '')
  } catch {
    return Buffer.from('{')
  }
}
const anyBody = fc.oneof(
  { weight: 20, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 20, arbitrary: hostileText.map((text) => Buffer.from(text)) },
  { weight: 30, arbitrary: mutationsOf(JSON.parse(validBody)).map(asBytes) },
  { weight: 10, arbitrary: hostileValue.map(asBytes) },
  { weight: 1, arbitrary: longText.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.nat(100_000).map((depth) => Buffer.from('['.repeat(depth))) },
)
/** Null: a valid signature. Otherwise the receiver would never parse the body. */
const anyHeader = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), hostileText).map(([t, digest]) => `t=${t},v1=${digest}`),
  },
  { weight: 1, arbitrary: fc.constant(signatureOf('whsec_another', validBody, NOW_MS / 1000)) },
)

type Delivery = { readonly body: Buffer; readonly header: string | null }
const headerOf = ({ body, header }: Delivery) => header ?? signatureOf(SECRET, body, NOW_MS / 1000)

export const webhookDeliveries = (runs: number): FuzzTarget<Delivery> => ({
  name: 'webhooks: signatures and bodies',
  runs,
  inputs: fc.record({ body: anyBody, header: anyHeader }),
  check: (delivery) => {
    const verdict = verifyWebhook({
      rawBody: delivery.body,
      header: headerOf(delivery),
      secret: SECRET,
      nowMs: NOW_MS,
    })
    if (verdict.ok && delivery.header !== null) throw new Error('accepted without a valid signature')
    if (JSON.stringify(verdict).includes(SECRET)) throw new Error('the secret is revealed')
  },
})

type HostileRequest =
  | { readonly kind: 'request'; readonly method: string; readonly path: string; readonly delivery: Delivery }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }

const anyRequest: fc.Arbitrary<HostileRequest> = fc.record({
  kind: fc.constant('request' as const),
  method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
  path: fc.oneof(
    { weight: 4, arbitrary: fc.constant('/webhooks') },
    { weight: 1, arbitrary: fc.webPath().map((path) => `/${path}`) },
  ),
  delivery: fc.record({ body: anyBody, header: anyHeader }),
})
const rawBytes: fc.Arbitrary<HostileRequest> = fc
  .tuple(fc.constantFrom('', 'POST /webhooks HTTP/1.1\r\n', 'GET'), hostileText)
  .map(([start, text]) => ({ kind: 'bytes' as const, bytes: Buffer.from(`${start}${text}\r\n\r\n\r\n`) }))

/** Whether an HTTP header can contain this value. */
const canBeSent = (header: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(header)

/**
 * Uses real connections. The receiver must answer each complete request with a status and no body, and store only
 * signed events.
 */
export const webhookReceiver = (
  runs: number,
): { readonly target: FuzzTarget<HostileRequest>; readonly close: () => Promise<void> } => {
  let storedEvents = 0
  let listener: Promise<Listener> | null = null
  const startListening = async (): Promise<Listener> => {
    const result = await listenForWebhooks({
      address: '127.0.0.1',
      port: 0,
      secrets: () => [SECRET],
      nowMs: () => NOW_MS,
      storeEvent: () => {
        storedEvents += 1
        return true
      },
      onRefused: () => undefined,
    })
    if (!result.ok) throw new Error(result.detail)
    return result.listener
  }
  const check = async (input: HostileRequest): Promise<void> => {
    listener ??= startListening()
    const { port } = await listener
    const eventsBefore = storedEvents
    if (input.kind === 'bytes') {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.resume().end(input.bytes)
      await waitForClose(socket)
      if (storedEvents !== eventsBefore) throw new Error('bytes were accepted as an event')
      return
    }
    const header = headerOf(input.delivery)
    if (!canBeSent(header)) return
    const answer = await post(port, {
      method: input.method,
      path: input.path,
      headers: { 'service-signature': header },
      body: input.method === 'POST' || input.method === 'PUT' ? input.delivery.body : '',
    })
    if (answer === 'cut off') throw new Error('a complete request got no answer')
    if (![200, 400, 401, 404, 405].includes(answer.status)) throw new Error(`answered ${answer.status}`)
    if (answer.body !== '') throw new Error('answered with a body')
    if ((answer.status === 200) !== (storedEvents === eventsBefore + 1))
      throw new Error('the answer and the stored events differ')
    if (answer.status === 200 && input.delivery.header !== null)
      throw new Error('accepted without a valid signature')
  }
  return {
    target: {
      name: 'webhooks: the receiver',
      runs,
      inputs: fc.oneof({ weight: 4, arbitrary: anyRequest }, { weight: 1, arbitrary: rawBytes }),
      check,
    },
    close: async () => (await listener)?.close(),
  }
}
