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

  /**
   * Returns the status of the answer. Null if there is no answer, for example because of an untrusted certificate or a
   * forbidden address. Does not follow redirects.
   */
  async post(url: string, { body, headers, signal }: WebhookPost): Promise<number | null> {
    const { protocol } = new URL(url)
    const address = literalAddress(new URL(url))
    // A literal address is not resolved, so check it here.
    if (address !== null && !mayReach(this.#targets, protocol, address)) return null
    this.#transport ??= this.#load()
    // A busy PC may take longer to load undici than a receiver may take to answer, so the timeout starts after that.
    const { undici, agents } = await this.#transport
    // The timer keeps the signal alive. The garbage collector may collect a signal that only `AbortSignal.any` references.
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
      return response.statusCode
    } catch {
      return null
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

  /** Resolves a name once and connects to the address that it checked, so a name cannot change its address in between. */
  #checkedLookup(protocol: string): LookupFunction {
    return (hostname, options, callback) => {
      this.#lookup(hostname, { ...options, all: true }, (error, result) => {
        if (error !== null) return callback(error, [])
        const addresses = typeof result === 'string' ? [] : result
        const allowedAddresses = addresses.filter(({ address }) => mayReach(this.#targets, protocol, address))
        const [first] = allowedAddresses
        if (first === undefined) return callback(new Error('webhooks may not go to this address'), [])
        if (options.all === true) return callback(null, allowedAddresses)
        return callback(null, first.address, first.family)
      })
    }
  }
}
