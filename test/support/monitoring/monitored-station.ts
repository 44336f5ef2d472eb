import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openJournalForCommand } from '../../../main/agent/journal/journal.ts'
import { Station, until } from '../station.ts'
import { Receiver } from './receiver.ts'

/** Part of the URL paths, like the secrets of real monitoring services. */
export const SECRET = 'secret-7f1c6f3e5a0b4a53'

type Alert = {
  readonly id: string | null
  readonly text: string
  readonly sluice: { readonly event: string; readonly begins: readonly unknown[] }
}

/** A station with monitoring, and the receiver of its messages. */
export class MonitoredStation {
  readonly station: Station
  readonly receiver: Receiver

  private constructor(station: Station, receiver: Receiver) {
    this.station = station
    this.receiver = receiver
  }

  static async open(): Promise<MonitoredStation> {
    return new MonitoredStation(await Station.open(), await Receiver.open())
  }

  get alertUrl(): string {
    return `${this.receiver.origin}/alert/${SECRET}`
  }

  get heartbeatUrl(): string {
    return `${this.receiver.origin}/${SECRET}`
  }

  file(name: string): string {
    return path.join(this.station.recordings, name)
  }

  configureMonitoring(monitoring: object): void {
    this.station.configure({ rest: { monitoring, follow: { poll_seconds: 0.2 } } })
  }

  alerts(): readonly Alert[] {
    return this.receiver.messages
      .filter((message) => message.path === `/alert/${SECRET}`)
      .map(({ id, body }) => ({ id, ...(JSON.parse(body) as Omit<Alert, 'id'>) }))
  }

  waitForAlert(event: string): Promise<Alert> {
    return until(`received: ${event}`, () => this.alerts().find(({ sluice }) => sluice.event === event))
  }

  /** True while the journal has an alert that is not delivered yet. */
  isWaiting(): boolean {
    const journal = openJournalForCommand(this.station.data, Date.now)
    try {
      return journal.alerts.waitingAlert() !== null
    } finally {
      journal.close()
    }
  }

  /** Everything that the agent logged. */
  logText(): string {
    const logs = path.join(this.station.data, 'logs')
    return readdirSync(logs)
      .map((name) => readFileSync(path.join(logs, name), 'utf8'))
      .join('')
  }

  async close(): Promise<void> {
    await this.station.close()
    this.receiver.close()
  }
}
