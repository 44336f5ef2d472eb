import { createHash } from 'node:crypto'
import { isTestKey } from '../../../shared/contract/api-key.ts'
import type { Configuration } from '../../../shared/ipc/agent-protocol.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { PendingWrites } from '../stage/pending-writes.ts'
import { connectService } from '../station/service-connection.ts'
import { reportToStation } from '../station/service-guard.ts'
import type { Station } from '../station/station.ts'
import { noteKey } from '../station/station-life.ts'

type Needs = {
  readonly journal: Journal
  readonly station: Station
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly writes: PendingWrites
  readonly guard: (where: string, work: () => void) => void
}

/** The station's client for the service. New service settings, a new key or a new system proxy replace it. */
export class ServiceLink {
  readonly #needs: Needs
  #client: ServiceClient | null = null
  /** The pending write of the key and the address to the journal. Null if none is pending. */
  #recordService: (() => void) | null = null

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get client(): ServiceClient | null {
    return this.#client
  }

  async replace({ settings, apiKey, systemProxy }: Configuration): Promise<void> {
    const { journal, station, clock, random, log, writes } = this.#needs
    const old = this.#client
    this.#client = null
    this.#recordService = null
    await old?.close()
    station.forgetAnswers()
    if (settings === null) return
    const { origin } = new URL(settings.service.base_url)
    const fingerprint =
      apiKey === null ? null : createHash('sha256').update(`${origin}\n${apiKey}`).digest('base64url')
    writes.write('the key', () => {
      noteKey(journal, origin, fingerprint)
      journal.station.setUsesTestKey(apiKey !== null && isTestKey(apiKey))
    })
    if (apiKey === null || fingerprint === null) {
      station.raise('key', 'key-missing')
      return
    }
    const onUploadHost = (host: string) =>
      writes.write(`the upload host ${host}`, () => {
        if (journal.station.noteUploadHost(host)) journal.activity.note({ kind: 'upload-host', host })
      })
    const client = connectService(settings.service, apiKey, systemProxy, { clock, random, log, onUploadHost })
    this.#client = reportToStation(client, station, clock)
    this.#recordService = () => {
      station.setKey(fingerprint, origin)
      this.#recordService = null
    }
    this.recordIfPending()
  }

  /**
   * Called by `replace`, and then every second until the write succeeds. Must not throw: after `replace`,
   * `Agent.configure` still has to start the watchers.
   */
  recordIfPending(): void {
    if (this.#recordService !== null) this.#needs.guard('the station', this.#recordService)
  }

  async close(): Promise<void> {
    await this.#client?.close()
  }
}
