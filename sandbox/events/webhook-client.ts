import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { literalAddress, mayReach, type Reach } from './reach.ts'

type Undici = typeof import('undici')
type Agent = InstanceType<Undici['Agent']>

export type WebhookPost = {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

type Loaded = { readonly undici: Undici; readonly agents: Readonly<Record<string, Agent>> }

/** Posts to receivers. Loaded with the first delivery: most sandboxes never make one, and it is large. */
export class WebhookClient {
  readonly #targets: Reach
  readonly #lookup: LookupFunction
  #loaded: Promise<Loaded> | null = null

  constructor(targets: Reach, lookup: LookupFunction = systemLookup) {
    this.#targets = targets
    this.#lookup = lookup
  }

  /**
   * The status of the answer; null when there was none, as from a receiver whose certificate nobody vouches
   * for, or at an address where webhooks may not go. Redirects are not followed.
   */
  async post(url: string, { body, headers, signal }: WebhookPost): Promise<number | null> {
    const { protocol } = new URL(url)
    const address = literalAddress(new URL(url))
    // An address is connected to without being looked up.
    if (address !== null && !mayReach(this.#targets, protocol, address)) return null
    this.#loaded ??= this.#load()
    const { undici, agents } = await this.#loaded
    try {
      const dispatcher = agents[protocol]!
      const response = await undici.request(url, { method: 'POST', dispatcher, headers, body, signal })
      // The status is the answer; a body of any size is not read.
      response.body.on('error', () => {}).destroy()
      return response.statusCode
    } catch {
      return null
    }
  }

  async close(): Promise<void> {
    const loaded = await this.#loaded
    for (const agent of Object.values(loaded?.agents ?? {})) await agent.destroy()
  }

  async #load(): Promise<Loaded> {
    const undici = await import('undici')
    const agent = (protocol: string) =>
      new undici.Agent({ allowH2: false, connect: { lookup: this.#checkedLookup(protocol) } })
    return { undici, agents: { 'http:': agent('http:'), 'https:': agent('https:') } }
  }

  /** Looked up once, and connected to what was looked at: a name that then points elsewhere changes nothing. */
  #checkedLookup(protocol: string): LookupFunction {
    return (hostname, options, callback) => {
      this.#lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, [])
        const addresses = typeof found === 'string' ? [] : found
        const allowed = addresses.filter(({ address }) => mayReach(this.#targets, protocol, address))
        const [first] = allowed
        if (first === undefined) return callback(new Error('webhooks may not go to this address'), [])
        if (options.all === true) return callback(null, allowed)
        return callback(null, first.address, first.family)
      })
    }
  }
}
