import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { Viewpoint } from '../domain/standing.ts'
import { liveStates } from '../domain/states.ts'
import { metricsText } from '../domain/station-metrics.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import type {
  Delivered,
  Delivery,
  MonitoringBoard,
  MonitoringWorld,
  OutgoingMessage,
} from '../ports/monitoring.ts'
import { openMetricsDoor } from '../service/metrics-endpoint.ts'
import { Outgoing } from '../service/outgoing.ts'
import { proxyChoice } from '../station/service-connection.ts'
import { Counters } from '../status/counters.ts'
import type { Progress } from '../status/progress.ts'

/** However many ask: the journal is read this often at most. */
const STATUS_MS = 1_000
const METRICS_MS = 2_000

/** Written, and not at their end. */
const waitingStates = liveStates.filter((state) => state !== 'growing')

/** What monitoring reads of the agent. */
type Station = {
  readonly journal: Journal
  readonly progress: Progress
  readonly settings: Settings | null
  readonly systemProxy: SystemProxy
  readonly viewpoint: Viewpoint
  readonly status: () => Status
  readonly guard: <T>(where: string, work: () => T) => T | null
}

type Kept<T> = { readonly atMs: number; readonly value: T } | null

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
const hostOf = (url: string | undefined): string | null => (url === undefined ? null : new URL(url).host)

/** What those who watch the station from outside are told with. */
export class Monitoring implements MonitoringWorld {
  readonly openMetrics = openMetricsDoor
  readonly board: MonitoringBoard = {
    listening: null,
    lastAskedAtMs: null,
    refused: 0,
    heartbeat: { lastOkAtMs: null, failure: null },
    alert: { lastOkAtMs: null, failure: null },
  }
  readonly #of: Station
  readonly #clock: Clock
  readonly #version: string
  readonly #counters: Counters
  readonly #startedAtMs: number
  #status: Kept<Status | null> = null
  #metrics: Kept<string | null> = null
  #outgoing: { readonly made: string; readonly to: Outgoing } | null = null

  constructor(of: Station, clock: Clock, version: string | null) {
    this.#of = of
    this.#clock = clock
    this.#version = version ?? 'unknown'
    this.#counters = new Counters(of.journal)
    this.#startedAtMs = clock.wallMs()
  }

  status = (): Status | null => {
    this.#status = this.#fresh(this.#status, STATUS_MS, () =>
      this.#of.guard('the status', () => this.#of.status()),
    )
    return this.#status.value
  }

  metricsText = (): string | null => {
    this.board.lastAskedAtMs = this.#clock.wallMs()
    this.#metrics = this.#fresh(this.#metrics, METRICS_MS, () =>
      this.#of.guard('the metrics', () => this.#makeMetrics()),
    )
    return this.#metrics.value
  }

  send = async (message: OutgoingMessage, signal: AbortSignal): Promise<Delivery> =>
    this.#line().send(message, signal)

  state = (): MonitoringState => {
    const { board } = this
    const { metrics, heartbeat_url, alert_url } = this.#of.settings?.monitoring ?? {}
    const { alerts } = this.#of.journal
    const delivered = ({ lastOkAtMs, failure }: Delivered) => ({
      lastOkAt: isoOrNull(lastOkAtMs),
      failure:
        failure === null ? null : { at: new Date(failure.atMs).toISOString(), sentence: failure.sentence },
    })
    return {
      metrics: {
        listening: board.listening,
        hasToken: metrics?.token !== undefined,
        lastAskedAt: isoOrNull(board.lastAskedAtMs),
        refused: board.refused,
      },
      heartbeat: { host: hostOf(heartbeat_url), ...delivered(board.heartbeat) },
      alert: {
        host: hostOf(alert_url),
        ...delivered(board.alert),
        open: alerts.told().length,
        waiting: alerts.waiting() !== null,
      },
    }
  }

  reconnect(): void {
    this.#outgoing?.to.reconnect()
  }

  async close(): Promise<void> {
    await this.#outgoing?.to.close()
  }

  #fresh<T>(kept: Kept<T>, longestMs: number, make: () => T): NonNullable<Kept<T>> {
    const atMs = this.#clock.monotonicMs()
    return kept !== null && atMs - kept.atMs < longestMs ? kept : { atMs, value: make() }
  }

  #makeMetrics(): string | null {
    const { journal, progress, viewpoint } = this.#of
    const status = this.status()
    if (status === null) return null
    const figures = journal.views.figures(viewpoint)
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

  /** Made when first needed, and anew where the settings want another way out. */
  #line(): Outgoing {
    const { settings, systemProxy } = this.#of
    const proxy = proxyChoice(settings?.service.proxy ?? 'system', systemProxy)
    const caFile = settings?.service.ca_file
    const made = JSON.stringify([proxy, caFile])
    if (this.#outgoing?.made !== made) {
      void this.#outgoing?.to.close()
      this.#outgoing = { made, to: new Outgoing({ proxy, caFile, clock: this.#clock }) }
    }
    return this.#outgoing.to
  }
}
