import { z } from 'zod'
import { eventTypes, type KnownEndpoint, type NewEndpoint } from '../contract/webhooks.ts'

/**
 * Hard case: Sluice registers a webhook, and the answer with the secret is lost.
 * Sluice stores the request before it sends it, and repeats it with the same idempotency key. The service then returns
 * the secret again (§8).
 */

/**
 * The endpoints that a station registered (§4.7), with their secrets. The app stores them in a file that the system's
 * keychain encrypts. The headless agent stores them unencrypted in its data folder.
 */

const instant = z.iso.datetime()
const endpoint = z.strictObject({ url: z.string(), events: z.array(z.enum(eventTypes)) })

export const bookSchema = z.strictObject({
  /** The address of the service. */
  origin: z.string(),
  pending: endpoint.extend({ key: z.string(), askedAt: instant }).nullable(),
  endpoints: z.array(endpoint.extend({ id: z.string(), registeredAt: instant, secret: z.string() })),
})
export type WebhookBook = z.output<typeof bookSchema>

/**
 * Sluice keeps several endpoints: the service may still send to a replaced one, and the contract does not describe the
 * call that deletes it (§4.8).
 */
const MAX_ENDPOINTS = 5
/**
 * Less than the 24 hours of §8. Once the service has forgotten the idempotency key, a repeated request would create a
 * second endpoint.
 */
const KEY_LIFETIME_MS = 23 * 3_600_000

const emptyBook = (origin: string): WebhookBook => ({ origin, pending: null, endpoints: [] })

const isSame = (one: NewEndpoint, other: NewEndpoint): boolean =>
  one.url === other.url && one.events.join() === other.events.join()

/** Adds the pending request. A repeated request keeps its idempotency key while the service remembers the key. */
export const addPendingRequest = (
  book: WebhookBook | null,
  request: {
    readonly origin: string
    readonly endpoint: NewEndpoint
    readonly newKey: string
    readonly now: Date
  },
): { readonly book: WebhookBook; readonly key: string } => {
  const { origin, newKey, now } = request
  const { url, events } = request.endpoint
  const currentBook = book?.origin === origin ? book : emptyBook(origin)
  const { pending } = currentBook
  const ageMs = pending === null ? 0 : now.getTime() - Date.parse(pending.askedAt)
  if (pending !== null && isSame(pending, request.endpoint) && ageMs >= 0 && ageMs < KEY_LIFETIME_MS)
    return { book: currentBook, key: pending.key }
  const askedAt = now.toISOString()
  return { book: { ...currentBook, pending: { url, events, key: newKey, askedAt } }, key: newKey }
}

/** Adds the registered endpoint as the last one. Drops the oldest endpoints beyond `MAX_ENDPOINTS`. */
export const addEndpoint = (
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
  ].slice(-MAX_ENDPOINTS),
})

/** Empty if the endpoints belong to a different service. */
export const secretsFor = (book: WebhookBook | null, origin: string): readonly string[] =>
  book?.origin === origin ? book.endpoints.map(({ secret }) => secret) : []

/** For display: without the secrets. */
export const endpointsFor = (book: WebhookBook | null, origin: string): readonly KnownEndpoint[] =>
  book?.origin === origin
    ? book.endpoints.map(({ id, url, events, registeredAt }) => ({ id, url, events, registeredAt }))
    : []

/** Null if the text is not a valid book. */
export const readBook = (text: string): WebhookBook | null => {
  try {
    return bookSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
