import { isLoopback } from '../loopback.ts'

type Undici = typeof import('undici')

export type WebhookPost = {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Posts to receivers. Loaded with the first delivery: most sandboxes never make one, and it is large. */
export class WebhookClient {
  #loaded: Promise<Agents> | null = null

  /** The status of the answer; null when there was none. Redirects are not followed. */
  async post(url: string, { body, headers, signal }: WebhookPost): Promise<number | null> {
    this.#loaded ??= load()
    const { undici, anywhere, loopback } = await this.#loaded
    const dispatcher = isLoopback(new URL(url).hostname) ? loopback : anywhere
    try {
      const response = await undici.request(url, { method: 'POST', dispatcher, headers, body, signal })
      // The status is the answer; a body of any size is not read.
      response.body.on('error', () => {}).destroy()
      return response.statusCode
    } catch {
      return null
    }
  }

  async close(): Promise<void> {
    const agents = await this.#loaded
    await Promise.all([agents?.anywhere.destroy(), agents?.loopback.destroy()])
  }
}

type Agents = {
  readonly undici: Undici
  readonly anywhere: InstanceType<Undici['Agent']>
  readonly loopback: InstanceType<Undici['Agent']>
}

async function load(): Promise<Agents> {
  const undici = await import('undici')
  const anywhere = new undici.Agent({ allowH2: false })
  // Receivers on this computer rarely have a certificate that anyone vouches for.
  const loopback = new undici.Agent({ allowH2: false, connect: { rejectUnauthorized: false } })
  return { undici, anywhere, loopback }
}
