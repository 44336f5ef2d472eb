import { ShownError } from '../../data/shown-error.ts'

/** The server refuses the key (401), because the key is unknown or revoked. */
export class KeyRefused extends ShownError {}

export type Query = Readonly<Record<string, string | null>>

/** Sends the user's key in a header, never in the address, because servers log addresses. */
export class Server {
  readonly #key: string
  readonly #onKeyRefused: (error: KeyRefused) => void

  constructor(key: string, onKeyRefused: (error: KeyRefused) => void = () => {}) {
    this.#key = key
    this.#onKeyRefused = onKeyRefused
  }

  /** Throws a `ShownError` if the server refuses the request or does not answer. Omits parameters that are null. */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== null) params.set(name, value)
    const answer = await fetch(params.size === 0 ? path : `${path}?${params}`, {
      headers: { authorization: `Bearer ${this.#key}` },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    }).catch(() => null)
    if (answer === null) throw new ShownError('The server does not answer. Check the network and try again.')
    const body: unknown = await answer.json().catch(() => null)
    if (answer.ok && body !== null) return body as T
    const sentence =
      errorMessageOf(body) ??
      (answer.ok
        ? 'The answer cannot be read: it is incomplete, or not from the server. Check the address and the proxy.'
        : `The server answers with status ${answer.status}. Try again later.`)
    if (answer.status !== 401) throw new ShownError(sentence)
    const refused = new KeyRefused(sentence)
    this.#onKeyRefused(refused)
    throw refused
  }
}

/** The message of an error (§7). Null if the body has none, for example because a proxy answered. */
const errorMessageOf = (body: unknown): string | null => {
  const message = (body as { error?: { message?: unknown } } | null)?.error?.message
  return typeof message === 'string' ? message : null
}
