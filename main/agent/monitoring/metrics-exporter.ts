import { isLoopbackAddress } from '../../../shared/settings/loopback.ts'
import { DoorKeeper } from '../stage/door-keeper.ts'
import { StageOf } from '../stage/stage.ts'

const LOOK_MS = 1_000
/** Whoever guesses tokens all day fills no log with it. */
const TELL_REFUSAL_MS = 60_000

/** Tells Prometheus how the station is, where the settings want it. At an address that others can reach: with a token. */
export class Exporter extends StageOf<'station' | 'settings' | 'clock' | 'log' | 'monitoring'> {
  readonly name = 'exporter'
  readonly takes = [] as const
  readonly #keeper = new DoorKeeper({
    ...this.world,
    condition: 'metrics',
    codes: { 'port-taken': 'metrics-port-taken', 'address-missing': 'metrics-address-missing' },
    what: 'metrics are told',
    listens: (at) => {
      this.world.monitoring.board.listening = at
    },
  })
  #toldRefusalAtMs: number | null = null

  async step(): Promise<number> {
    const { monitoring } = this.world
    const wanted = this.world.settings()?.monitoring.metrics ?? null
    const isOpenToOthers = wanted !== null && wanted.token === undefined && !isLoopbackAddress(wanted.address)
    await this.#keeper.keep(
      wanted,
      ({ address, port, token = null }) =>
        monitoring.openMetrics({
          address,
          port,
          token,
          text: monitoring.metricsText,
          refused: () => this.#refused(),
        }),
      isOpenToOthers ? 'metrics-token-missing' : null,
    )
    return LOOK_MS
  }

  close(): Promise<void> {
    return this.#keeper.shut()
  }

  #refused(): void {
    const { monitoring, clock, log } = this.world
    monitoring.board.refused += 1
    const now = clock.monotonicMs()
    if (this.#toldRefusalAtMs !== null && now - this.#toldRefusalAtMs < TELL_REFUSAL_MS) return
    this.#toldRefusalAtMs = now
    log.warn('somebody asked for metrics and may not', { sofar: monitoring.board.refused })
  }
}
