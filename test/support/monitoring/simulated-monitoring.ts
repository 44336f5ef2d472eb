import type {
  MonitoringBoard,
  MonitoringWorld,
  OutgoingMessage,
} from '../../../main/agent/ports/monitoring.ts'
import { type Settings, settingsSchema } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status/status.ts'
import { aStatus } from '../../unit/main/shell/status-fixture.ts'
import { noMonitoring } from '../model/no-monitoring.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** The environment of the monitoring stages: the test moves the clock, sets the status and controls the receiver. */
export class SimulatedMonitoring {
  nowMs = Date.parse('2026-11-15T18:00:00Z')
  status: Status | null = aStatus()
  readonly sent: OutgoingMessage[] = []
  /** Whether the next messages arrive. `sent` contains them in any case. */
  arrives = true
  retryAfterMs: number | null = null
  readonly board: MonitoringBoard = structuredClone(noMonitoring.board)
  readonly clock = { wallMs: () => this.nowMs, monotonicMs: () => this.nowMs }
  readonly random = () => 1
  readonly log = silent
  #keys = 0
  #settings: Settings = settingsSchema.parse({ service: { base_url: 'https://api.example.com' } })

  readonly newKey = () => `id-${++this.#keys}`

  set monitoringSettings(monitoring: object) {
    this.#settings = settingsSchema.parse({ service: { base_url: 'https://api.example.com' }, monitoring })
  }

  readonly settings = (): Settings => this.#settings

  get monitoring(): MonitoringWorld {
    return {
      ...noMonitoring,
      board: this.board,
      status: () => this.status,
      send: async (message) => {
        this.sent.push(message)
        return this.arrives
          ? { ok: true }
          : {
              ok: false,
              sentence: 'hooks.example.com answers with status 503.',
              retryAfterMs: this.retryAfterMs,
            }
      },
    }
  }

  /** Runs a stage for `seconds` of simulated time, by default with one step per second. */
  async pass(
    stage: { readonly step: (signal: AbortSignal) => Promise<number> },
    seconds: number,
    stepS = 1,
  ): Promise<void> {
    const { signal } = new AbortController()
    for (let second = 0; second < seconds; second += stepS) {
      await stage.step(signal)
      this.nowMs += stepS * 1_000
    }
  }
}
