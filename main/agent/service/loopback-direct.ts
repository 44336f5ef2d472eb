import { Dispatcher } from 'undici'
import { isThisPc } from './addresses.ts'

/**
 * A request to this PC never goes through a proxy, even if the settings or the environment name one. Such a request may
 * be without TLS, so a proxy could read the key. A proxy on another PC could not even reach this PC's loopback address.
 */
export class LoopbackDirect extends Dispatcher {
  readonly #direct: Dispatcher
  readonly #proxied: Dispatcher

  constructor(direct: Dispatcher, proxied: Dispatcher) {
    super()
    this.#direct = direct
    this.#proxied = proxied
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { hostname } = new URL(String(options.origin))
    return (isThisPc(hostname) ? this.#direct : this.#proxied).dispatch(options, handler)
  }

  override async close(): Promise<void> {
    await Promise.all([this.#direct.close(), this.#proxied.close()])
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct.destroy(), this.#proxied.destroy()])
  }
}
