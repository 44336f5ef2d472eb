import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { StandingContext } from '../domain/standing.ts'
import { liveStates } from '../domain/states.ts'
import { metricsText } from '../domain/station-metrics.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import type {
  Delivery,
  DeliveryHistory,
  MonitoringBoard,
  MonitoringWorld,
  OutgoingMessage,
} from '../ports/monitoring.ts'
import { listenForMetrics } from '../service/metrics-endpoint.ts'
import { MonitoringClient } from '../service/monitoring-client.ts'
import { chooseProxy } from '../station/service-connection.ts'
import { Counters } from '../status/counters.ts'
import type { Progress } from '../status/progress.ts'

/** How long Sluice reuses the status or the metrics instead of reading the journal again. */
const STATUS_CACHE_MS = 1_000
const METRICS_CACHE_MS = 2_000

/** In these states, the recorder has finished the recording, but the service has not processed it yet. */
const waitingStates = liveStates.filter((state) => state !== 'growing')

/** The parts of the agent that monitoring reads. */
type Station = {
  readonly journal: Journal
  readonly progress: Progress
  readonly settings: Settings | null
  readonly systemProxy: SystemProxy
  readonly standingContext: StandingContext
  readonly status: () => Status
  readonly guard: <T>(where: string, work: () => T) => T | null
}

type Cached<T> = { readonly atMs: number; readonly value: T } | null

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
const hostOf = (url: string | undefined): string | null => (url === undefined ? null : new URL(url).host)

/** The part of the agent that heartbeats, alerts and metrics use. */
export class Monitoring implements MonitoringWorld {
  readonly openMetrics = listenForMetrics
  readonly board: MonitoringBoard = {
    listening: null,
    lastRequestAtMs: null,
    refused: 0,
    heartbeat: { lastOkAtMs: null, failure: null },
    alert: { lastOkAtMs: null, failure: null },
  }
  readonly #station: Station
  readonly #clock: Clock
  readonly #version: string
  readonly #counters: Counters
  readonly #startedAtMs: number
  #status: Cached<Status | null> = null
  #metrics: Cached<string | null> = null
  #current: { readonly key: string; readonly client: MonitoringClient } | null = null

  constructor(station: Station, clock: Clock, version: string | null) {
    this.#station = station
    this.#clock = clock
    this.#version = version ?? 'unknown'
    this.#counters = new Counters(station.journal)
    this.#startedAtMs = clock.wallMs()
  }

  status = (): Status | null => {
    this.#status = this.#refresh(this.#status, STATUS_CACHE_MS, () =>
      this.#station.guard('the status', () => this.#station.status()),
    )
    return this.#status.value
  }

  metricsText = (): string | null => {
    this.board.lastRequestAtMs = this.#clock.wallMs()
    this.#metrics = this.#refresh(this.#metrics, METRICS_CACHE_MS, () =>
      this.#station.guard('the metrics', () => this.#makeMetrics()),
    )
    return this.#metrics.value
  }

  send = async (message: OutgoingMessage, signal: AbortSignal): Promise<Delivery> =>
    this.#connection().send(message, signal)

  state = (): MonitoringState => {
    const { board } = this
    const { metrics, heartbeat_url, alert_url } = this.#station.settings?.monitoring ?? {}
    const { alerts } = this.#station.journal
    const describeDelivery = ({ lastOkAtMs, failure }: DeliveryHistory) => ({
      lastOkAt: isoOrNull(lastOkAtMs),
      failure:
        failure === null ? null : { at: new Date(failure.atMs).toISOString(), sentence: failure.sentence },
    })
    return {
      metrics: {
        listening: board.listening,
        hasToken: metrics?.token !== undefined,
        lastRequestAt: isoOrNull(board.lastRequestAtMs),
        refused: board.refused,
      },
      heartbeat: { host: hostOf(heartbeat_url), ...describeDelivery(board.heartbeat) },
      alert: {
        host: hostOf(alert_url),
        ...describeDelivery(board.alert),
        open: alerts.reportedNeeds().length,
        waiting: alerts.waitingAlert() !== null,
      },
    }
  }

  reconnect(): void {
    this.#current?.client.reconnect()
  }

  async close(): Promise<void> {
    await this.#current?.client.close()
  }

  #refresh<T>(cached: Cached<T>, maxAgeMs: number, make: () => T): NonNullable<Cached<T>> {
    const atMs = this.#clock.monotonicMs()
    return cached !== null && atMs - cached.atMs < maxAgeMs ? cached : { atMs, value: make() }
  }

  #makeMetrics(): string | null {
    const { journal, progress, standingContext } = this.#station
    const status = this.status()
    if (status === null) return null
    const figures = journal.views.figures(standingContext)
    return metricsText({
      status,
      version: this.#version,
      backlog: figures.backlog(),
      holds: figures.holds(),
      oldestWaitingAtMs: journal.views.oldestFoundAtMs(waitingStates),
      lastProcessedAtMs: journal.views.lastProcessedAtMs(),
      sentBytes: progress.sentBytes,
      processed: this.#counters.processed,
      failures: this.#counters.failures,
      startedAtMs: this.#startedAtMs,
      residentBytes: process.memoryUsage.rss(),
    })
  }

  /** Creates the client on first use, and a new one when the proxy or the CA setting changes. */
  #connection(): MonitoringClient {
    const { settings, systemProxy } = this.#station
    const proxy = chooseProxy(settings?.service.proxy ?? 'system', systemProxy)
    const caFile = settings?.service.ca_file
    const key = JSON.stringify([proxy, caFile])
    if (this.#current?.key !== key) {
      void this.#current?.client.close()
      this.#current = { key, client: new MonitoringClient({ proxy, caFile, clock: this.#clock }) }
    }
    return this.#current.client
  }
}
