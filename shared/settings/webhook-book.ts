import { z } from 'zod'
import { eventTypes, type KnownEndpoint, type NewEndpoint } from '../contract/webhooks.ts'

/**
 * What a station keeps of the endpoints it registered (§4.7): in the keychain by the app, in a closed file by the headless
 * command. The secret is told once, so that the request for it is written down before it is made: with the same key within
 * 24 hours the service tells it again (§8).
 */

const instant = z.iso.datetime()
const endpoint = z.strictObject({ url: z.string(), events: z.array(z.enum(eventTypes)) })

export const bookSchema = z.strictObject({
  /** The service whose endpoints these are. */
  origin: z.string(),
  pending: endpoint.extend({ key: z.string(), askedAt: instant }).nullable(),
  endpoints: z.array(endpoint.extend({ id: z.string(), registeredAt: instant, secret: z.string() })),
})
export type WebhookBook = z.output<typeof bookSchema>

/** An endpoint that was replaced may still send for a while, and there is no call to end it. */
const MOST_ENDPOINTS = 5
/** §8, less an hour: a key that the service has just forgotten would make a second endpoint. */
const KEY_LIFE_MS = 23 * 3_600_000

const emptyBook = (origin: string): WebhookBook => ({ origin, pending: null, endpoints: [] })

const isSame = (one: NewEndpoint, other: NewEndpoint): boolean =>
  one.url === other.url && one.events.join() === other.events.join()

/** With the request written down; the key of the same request, whose answer was lost, is taken again. */
export const asking = (
  book: WebhookBook | null,
  ask: {
    readonly origin: string
    readonly endpoint: NewEndpoint
    readonly newKey: string
    readonly now: Date
  },
): { readonly book: WebhookBook; readonly key: string } => {
  const { origin, newKey, now } = ask
  const { url, events } = ask.endpoint
  const known = book?.origin === origin ? book : emptyBook(origin)
  const { pending } = known
  const ageMs = pending === null ? 0 : now.getTime() - Date.parse(pending.askedAt)
  if (pending !== null && isSame(pending, ask.endpoint) && ageMs >= 0 && ageMs < KEY_LIFE_MS)
    return { book: known, key: pending.key }
  const askedAt = now.toISOString()
  return { book: { ...known, pending: { url, events, key: newKey, askedAt } }, key: newKey }
}

/** With the answer; the newest last. */
export const registered = (
  book: WebhookBook,
  endpoint: NewEndpoint,
  answer: { readonly id: string; readonly secret: string; readonly now: Date },
): WebhookBook => ({
  ...book,
  pending: null,
  endpoints: [
    ...book.endpoints.filter(({ id }) => id !== answer.id),
    {
      url: endpoint.url,
      events: endpoint.events,
      id: answer.id,
      registeredAt: answer.now.toISOString(),
      secret: answer.secret,
    },
  ].slice(-MOST_ENDPOINTS),
})

/** Nothing for another service than theirs. */
export const secretsFor = (book: WebhookBook | null, origin: string): readonly string[] =>
  book?.origin === origin ? book.endpoints.map(({ secret }) => secret) : []

/** For people: without the secrets. */
export const endpointsFor = (book: WebhookBook | null, origin: string): readonly KnownEndpoint[] =>
  book?.origin === origin
    ? book.endpoints.map(({ id, url, events, registeredAt }) => ({ id, url, events, registeredAt }))
    : []

/** Null for what is no book. */
export const readBook = (text: string): WebhookBook | null => {
  try {
    return bookSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
