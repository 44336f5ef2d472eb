type Undici = typeof import('undici')

export type WebhookPost = {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

type Loaded = { readonly undici: Undici; readonly agent: InstanceType<Undici['Agent']> }

/** Posts to receivers. Loaded with the first delivery: most sandboxes never make one, and it is large. */
export class WebhookClient {
  #loaded: Promise<Loaded> | null = null

  /**
   * The status of the answer; null when there was none, as from a receiver whose certificate nobody vouches
   * for. Redirects are not followed.
   */
  async post(url: string, { body, headers, signal }: WebhookPost): Promise<number | null> {
    this.#loaded ??= load()
    const { undici, agent } = await this.#loaded
    try {
      const response = await undici.request(url, { method: 'POST', dispatcher: agent, headers, body, signal })
      // The status is the answer; a body of any size is not read.
      response.body.on('error', () => {}).destroy()
      return response.statusCode
    } catch {
      return null
    }
  }

  async close(): Promise<void> {
    await (await this.#loaded)?.agent.destroy()
  }
}

async function load(): Promise<Loaded> {
  const undici = await import('undici')
  return { undici, agent: new undici.Agent({ allowH2: false }) }
}
