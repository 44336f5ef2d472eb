import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { literalAddress, mayReach, type Reach } from './reach.ts'

/** §6.2: timeout for the receiver's answer. */
const answerTimeoutMs = 10_000

type Undici = typeof import('undici')
type Agent = InstanceType<Undici['Agent']>

export type WebhookPost = {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/**
 * The status of the receiver's answer, or why there is no answer. The reason never contains the URL, because a URL may
 * contain a secret.
 */
export type PostResult = { readonly status: number } | { readonly reason: string }

const FORBIDDEN_ADDRESS = 'webhooks may not go to this address'

type Transport = { readonly undici: Undici; readonly agents: Readonly<Record<string, Agent>> }

/** Posts to receivers. Imports undici at the first delivery: it is large, and most sandboxes never deliver. */
export class WebhookClient {
  readonly #targets: Reach
  readonly #lookup: LookupFunction
  readonly #importUndici: () => Promise<Undici>
  #transport: Promise<Transport> | null = null

  constructor(
    targets: Reach,
    lookup: LookupFunction = systemLookup,
    importUndici: () => Promise<Undici> = () => import('undici'),
  ) {
    this.#targets = targets
    this.#lookup = lookup
    this.#importUndici = importUndici
  }

  /** Does not follow redirects. */
  async post(url: string, { body, headers, signal }: WebhookPost): Promise<PostResult> {
    const { protocol } = new URL(url)
    const address = literalAddress(new URL(url))
    // `#checkedLookup` does not see a literal address, so check it here.
    if (address !== null && !mayReach(this.#targets, protocol, address)) return { reason: FORBIDDEN_ADDRESS }
    this.#transport ??= this.#load()
    // On a busy PC, the import of undici may take longer than the timeout, so the timeout starts after the import.
    const { undici, agents } = await this.#transport
    // Not `AbortSignal.timeout`: the garbage collector may collect a signal that only `AbortSignal.any` references, so
    // the request would never time out. The timer keeps this signal alive.
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), answerTimeoutMs)
    try {
      const response = await undici.request(url, {
        method: 'POST',
        dispatcher: agents[protocol]!,
        headers,
        body,
        signal: AbortSignal.any([signal, timeout.signal]),
      })
      // Do not read the body: only the status counts.
      response.body.on('error', () => {}).destroy()
      return { status: response.statusCode }
    } catch (error) {
      if (timeout.signal.aborted) return { reason: `no answer within ${answerTimeoutMs / 1_000} s` }
      const { code, message } = error as NodeJS.ErrnoException
      return { reason: code ?? message }
    } finally {
      clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    const transport = await this.#transport
    for (const agent of Object.values(transport?.agents ?? {})) await agent.destroy()
  }

  async #load(): Promise<Transport> {
    const undici = await this.#importUndici()
    const createAgent = (protocol: string) =>
      new undici.Agent({ allowH2: false, connect: { lookup: this.#checkedLookup(protocol) } })
    return { undici, agents: { 'http:': createAgent('http:'), 'https:': createAgent('https:') } }
  }

  /**
   * Resolves a name once and returns only addresses that it checked, so a name cannot change its address between check
   * and connection.
   */
  #checkedLookup(protocol: string): LookupFunction {
    return (hostname, options, callback) => {
      this.#lookup(hostname, { ...options, all: true }, (error, result) => {
        if (error !== null) return callback(error, [])
        const addresses = typeof result === 'string' ? [] : result
        const allowedAddresses = addresses.filter(({ address }) => mayReach(this.#targets, protocol, address))
        const [first] = allowedAddresses
        if (first === undefined) return callback(new Error(FORBIDDEN_ADDRESS), [])
        if (options.all === true) return callback(null, allowedAddresses)
        return callback(null, first.address, first.family)
      })
    }
  }
}
