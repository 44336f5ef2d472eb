import { isLoopbackAddress } from '../../../shared/settings/loopback.ts'
import { ManagedListener } from '../stage/managed-listener.ts'
import { StageOf } from '../stage/stage.ts'

const CHECK_INTERVAL_MS = 1_000
/** A program that guesses tokens all day must not fill the log. */
const LOG_REFUSAL_INTERVAL_MS = 60_000

/** Serves metrics to Prometheus if the settings enable it. An address that other PCs can reach needs a token. */
export class MetricsExporter extends StageOf<'station' | 'settings' | 'clock' | 'log' | 'monitoring'> {
  readonly name = 'metrics exporter'
  readonly states = [] as const
  readonly #listener = new ManagedListener({
    ...this.world,
    condition: 'metrics',
    codes: { 'port-taken': 'metrics-port-taken', 'address-missing': 'metrics-address-missing' },
    purpose: 'metrics requests',
    onListening: (address) => {
      this.world.monitoring.board.listening = address
    },
  })
  #refusalLoggedAtMs: number | null = null

  async step(): Promise<number> {
    const { monitoring } = this.world
    const endpoint = this.world.settings()?.monitoring.metrics ?? null
    const isOpenToOthers =
      endpoint !== null && endpoint.token === undefined && !isLoopbackAddress(endpoint.address)
    await this.#listener.update(
      endpoint,
      ({ address, port, token = null }) =>
        monitoring.openMetrics({
          address,
          port,
          token,
          text: monitoring.metricsText,
          onRefused: () => this.#noteRefusal(),
        }),
      isOpenToOthers ? 'metrics-token-missing' : null,
    )
    return CHECK_INTERVAL_MS
  }

  close(): Promise<void> {
    return this.#listener.close()
  }

  #noteRefusal(): void {
    const { monitoring, clock, log } = this.world
    monitoring.board.refused += 1
    const nowMs = clock.monotonicMs()
    if (this.#refusalLoggedAtMs !== null && nowMs - this.#refusalLoggedAtMs < LOG_REFUSAL_INTERVAL_MS) return
    this.#refusalLoggedAtMs = nowMs
    log.warn('the metrics endpoint refused a request', { count: monitoring.board.refused })
  }
}
