import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { ThisProgram } from '../../../main/agent/domain/update-rules.ts'
import type { StagedUpdate, UpdateInstaller } from '../../../main/agent/ports/updates.ts'
import { HttpUpdateSource } from '../../../main/agent/service/update-source.ts'
import { readUpdateMemory } from '../../../main/agent/stage/update-memory.ts'
import { Station } from '../../../main/agent/station/station.ts'
import { Updater } from '../../../main/agent/update/updater.ts'
import { type SettingsInput, settingsSchema } from '../../../shared/settings/settings.ts'
import { aStatus } from '../../unit/main/shell/status-fixture.ts'
import { noMonitoring } from '../model/no-monitoring.ts'
import { openTempJournal, type TempJournal } from '../temp-journal.ts'

const silentLog = { info: () => {}, warn: () => {}, error: () => {} }

/** The updater with a real journal and real HTTP. The clock and the installer are simulated. */
export class UpdatingStation {
  readonly #temp: TempJournal
  nowMs = Date.now()
  settings = settingsSchema.parse({ service: { base_url: 'https://api.example.com' } })
  program: ThisProgram = { version: '1.0.0', system: 'win32', machine: 'x64', hostName: 'hall-3' }
  timeouts = { idleMs: 60_000, indexMs: 60_000, fileMs: 60_000 }
  partsInFlight = 0
  isUploading = false
  readonly started: StagedUpdate[] = []
  startError: Error | null = null
  isTaskRegistered = true
  readonly warnings: string[] = []
  keys: readonly string[]
  updater!: Updater
  station!: Station
  #installer: UpdateInstaller | null = null

  constructor(keys: readonly string[]) {
    this.keys = keys
    this.#temp = openTempJournal(() => this.nowMs)
    this.boot()
  }

  /** Starts the program, with the journal and the files of earlier starts. */
  boot(program: Partial<ThisProgram> = {}): void {
    this.program = { ...this.program, ...program }
    const clock = { monotonicMs: () => this.nowMs, wallMs: () => this.nowMs }
    this.station = new Station(
      this.#temp.journal,
      clock,
      () => 0.5,
      () => this.settings,
    )
    this.station.trust()
    const readInstaller = () => this.#installer
    const readKeys = () => this.keys
    const readParts = () => this.partsInFlight
    this.updater = new Updater({
      journal: this.#temp.journal,
      station: this.station,
      settings: () => this.settings,
      clock,
      random: () => 0.5,
      log: { ...silentLog, warn: (message, facts) => void this.warnings.push(`${message} ${facts?.why}`) },
      monitoring: { ...noMonitoring, status: () => this.#status() },
      updates: {
        program: this.program,
        source: new HttpUpdateSource({
          proxy: () => ({ kind: 'none' }),
          caFile: () => undefined,
          clock,
          timeouts: this.timeouts,
        }),
        get installer() {
          return readInstaller()
        },
        keys: readKeys,
        folder: this.folder,
        partsInFlight: readParts,
      },
    })
  }

  installs(): void {
    this.#installer = {
      isRegistered: async () => this.isTaskRegistered,
      start: async (staged) => {
        if (this.startError !== null) throw this.startError
        this.started.push(staged)
      },
    }
  }

  set(updates: NonNullable<SettingsInput['updates']>): void {
    this.settings = settingsSchema.parse({ service: { base_url: 'https://api.example.com' }, updates })
  }

  get folder(): string {
    return path.join(this.#temp.folder, 'updates')
  }

  get files(): readonly string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).toSorted() : []
  }

  get memory() {
    return readUpdateMemory(this.#temp.journal)
  }

  get sentences(): readonly string[] {
    return this.station.problems.map(({ code, sentence }) => `${code}: ${sentence}`)
  }

  /** The station's activity, oldest first: the kind of each entry, with the code of its problem if it has one. */
  get reports(): readonly string[] {
    return this.#temp.journal.activity
      .read({ groups: [], fromMs: null, toMs: null, before: null, limit: 100 })
      .map(({ activity }) =>
        'problem' in activity ? `${activity.kind} ${activity.problem?.code}` : activity.kind,
      )
      .toReversed()
  }

  async step(times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.updater.step(new AbortController().signal)
  }

  /** Moves the clock by `ms`, then runs one step. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms
    await this.step()
  }

  close(): void {
    this.#temp.close()
  }

  #status() {
    const status = aStatus()
    const none = <K extends string>(counts: Readonly<Record<K, number>>) =>
      Object.fromEntries(Object.keys(counts).map((key) => [key, 0])) as Record<K, number>
    return {
      ...status,
      counts: none(status.counts),
      standings: { ...none(status.standings), uploading: this.isUploading ? 1 : 0 },
    }
  }
}
