import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgentCalls } from '../../../main/agent/calls/agent-calls.ts'
import type { CallableAgent } from '../../../main/agent/calls/callable-agent.ts'
import { problemOf } from '../../../main/agent/domain/problems.ts'
import type { StandingContext } from '../../../main/agent/domain/standing.ts'
import { type Journal, openJournal } from '../../../main/agent/journal/journal.ts'
import type { Recording } from '../../../main/agent/journal/row.ts'
import { DriveSpaces } from '../../../main/agent/outlook/drive-space.ts'
import { Outlook } from '../../../main/agent/outlook/outlook.ts'
import { SilenceWatch } from '../../../main/agent/outlook/silence-watch.ts'
import { noteDeletion } from '../../../main/agent/sessions/session-deletion.ts'
import { Station } from '../../../main/agent/station/station.ts'
import { Progress } from '../../../main/agent/status/progress.ts'
import { takeSnapshot } from '../../../main/agent/status/snapshot.ts'
import type { AgentCallName, CallAnswer } from '../../../shared/ipc/ipc.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { type FolderSettings, type Settings, settingsSchema } from '../../../shared/settings/settings.ts'
import type { FolderStatus, Status } from '../../../shared/status/status.ts'
import { editJournal } from '../../support/journal-file.ts'
import { noMonitoring } from '../../support/model/no-monitoring.ts'
import type { StationEvent } from '../scripted/bridge.ts'
import { TRACK } from '../scripted/folders.ts'
import { PART_BYTES, SEND_BYTES_PER_S } from '../scripted/night.ts'
import type { Scene } from '../scripted/scene.ts'
import { writeRecording } from './recordings.ts'
import { writeRemoval } from './removals.ts'
import type { SceneJournals } from './scene-journals.ts'
import { drivesIn, recentRateIn, safeBytesIn } from './tonight.ts'

const MINUTE_MS = 60_000
const STEP_MS = 250
const PARALLEL_PARTS = 4
const PART_STEP_BYTES = (SEND_BYTES_PER_S / PARALLEL_PARTS / 1000) * STEP_MS

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

type Options = {
  readonly journals: SceneJournals
  readonly scene: Scene
  readonly rows?: number | undefined
  readonly settings: Settings | null
  /** The time of the station. It advances if `moving` is true. */
  readonly atMs: number
  readonly moving: boolean
}

/**
 * A station in a chosen scene, with a real journal and the agent's real conditions, snapshot and answers. No agent
 * runs, so nothing changes by itself. The clock and the uploads advance only if `moving` is true.
 */
export class PageStation {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'sluice-page-'))
  readonly #clock: { nowMs: number }
  readonly #options: Options
  readonly #openedAtMs = performance.now()
  readonly #journal: Journal
  readonly #station: Station
  readonly #progress: Progress
  readonly #outlook: Outlook
  readonly #driveSpaces = new DriveSpaces()
  readonly #silences: SilenceWatch
  readonly #call: (name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>
  #settings: Settings | null
  #progressMs = 0
  #parts: PartInFlight[] = []

  constructor(options: Options) {
    this.#options = options
    this.#settings = settingsIn(options.scene, options.settings)
    this.#clock = { nowMs: options.atMs }
    const folders = options.settings?.folders ?? []
    const { scene, rows, atMs } = options
    options.journals.copyTo(this.#folder, { scene, rows, folders, atMs })
    this.#journal = openJournal(this.#folder, () => this.#clock.nowMs).journal
    const clock = { wallMs: () => this.#clock.nowMs, monotonicMs: () => this.#progressMs }
    this.#station = new Station(
      this.#journal,
      clock,
      () => 0.5,
      () => this.#settings,
    )
    this.#progress = new Progress(clock)
    this.#outlook = new Outlook(this.#journal, () => recentRateIn(options.scene))
    this.#silences = new SilenceWatch(this.#journal)
    this.#connect()
    this.#sendParts(30_000)
    this.#call = createAgentCalls(this.#callableAgent(), silentLog)
  }

  async answer(name: AgentCallName, args: unknown): Promise<CallAnswer<unknown>> {
    if (this.#options.moving) this.#catchUp()
    return this.#call(name, args)
  }

  status(): Status {
    if (this.#options.moving) this.#catchUp()
    this.#checkSilence()
    return takeSnapshot({
      journal: this.#journal,
      progress: this.#progress,
      outlook: this.#outlook,
      driveSpace: this.#driveSpaces.of(drivesIn(this.#options.scene, this.#settings?.folders ?? []), {
        journal: this.#journal,
        outlook: this.#outlook,
        safeBytesIn: (folder) => safeBytesIn(this.#journal, folder, this.#view.service),
        nowMs: this.#clock.nowMs,
      }),
      settings: this.#settings,
      view: this.#view,
      stop: this.#station.stop,
      conditions: this.#station.problems,
      reachable: this.#station.reachable,
      allowance: this.#station.allowance(),
      clockOffsetMs: this.#options.scene === 'conditions' ? 900_000 : 1_200,
      folderOf: (path) => this.#folderOf(path),
      folderState: (folder) => this.#folderState(folder.path),
      silenceOf: (folder) => this.#silences.of(folder.path),
      hostName: 'capture-pc-07',
      nowMs: this.#clock.nowMs,
    })
  }

  applyEvent(event: StationEvent): void {
    switch (event.kind) {
      case 'settings':
        this.#configure(event.settings)
        break
      case 'deleted':
        noteDeletion(this.#journal, event.sessionId, 'req_01JX7VA1D3L2')
        break
      case 'first-finished':
        this.#finishFirst()
        break
      case 'take-deviates': {
        const { inspections, recordings } = this.#journal
        inspections.save(event.id, inspections.of(event.id)!, event.deviations)
        if (event.isHeld === true) recordings.patch(event.id, { problem: problemOf('take-held') })
        break
      }
      case 'one-take':
        editJournal(
          this.#folder,
          'UPDATE recordings SET take = ? WHERE id IN (SELECT value FROM json_each(?))',
          event.take,
          JSON.stringify(event.ids),
        )
        break
      case 'removed':
        writeRemoval(this.#journal, event.id, event.movedTo)
        break
    }
  }

  /** Applies saved settings. In the first run, the first watched folder gets a recording at once. */
  #configure(settings: unknown): void {
    const parsed = settingsSchema.safeParse(settings)
    this.#settings = parsed.success ? parsed.data : null
    if (this.#settings === null || this.#options.scene !== 'first-run') return
    this.#connect()
    if (this.#settings.folders.length > 0 && this.#journal.views.recent(1).length === 0)
      this.#write([{ state: 'uploading' }], 12)
  }

  /** Marks the recording of the first run as processed. */
  #finishFirst(): void {
    const { recordings } = this.#journal
    for (const [from, kind] of [
      ['uploading', 'parts-sent'],
      ['completing', 'completed'],
      ['processing', 'processed'],
    ] as const)
      recordings.transition(1, from, { kind }, { reason: kind })
  }

  close(): void {
    this.#journal.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #view(): StandingContext {
    return {
      service: this.#journal.station.serviceInUse(),
      sending: this.#station.mayStartPart(),
      uploadingIds: this.#progress.uploadingIds,
      uploadNowIds: this.#journal.station.uploadNow()?.recordingIds ?? [],
    }
  }

  #folderOf(path: string): FolderSettings | undefined {
    return this.#settings?.folders.find((folder) => folder.path === path)
  }

  #callableAgent(): CallableAgent {
    const station = this
    const unreachable = (): never => {
      throw new Error('the scripted bridge answers this call, not the station')
    }
    return {
      journal: this.#journal,
      progress: this.#progress,
      get standingContext() {
        return station.#view
      },
      status: () => this.status(),
      get settings() {
        return station.#settings
      },
      service: null,
      keyFor: () => null,
      systemProxy: { kind: 'unknown' },
      recordersInContainer: false,
      webhookReceiverStatus: { listening: null, refused: null },
      webhookSecrets: [],
      monitoring: noMonitoring,
      dataFolder: this.#folder,
      get platform() {
        return unreachable()
      },
      watcherOf: () => undefined,
      folderOf: (path) => this.#folderOf(path),
      paths: linuxPaths,
      nowMs: () => this.#clock.nowMs,
      checkSilence: () => this.#checkSilence(),
      reportError: (error) => {
        throw error
      },
    }
  }

  #connect(): void {
    if (this.#settings === null) return
    const { scene } = this.#options
    this.#station.setKey('fingerprint', new URL(this.#settings.service.base_url).origin)
    this.#station.trust()
    if (scene === 'offline') this.#station.raise('control', 'service-unreachable', { afterMs: 40_000 })
    else this.#station.noteAnswer('control', 0)
    if (scene === 'keyless') this.#station.raise('key', 'key-missing')
    if (scene !== 'conditions') return
    this.#station.raise('key', 'key-refused', { requestId: 'req_01JX7V9T4C0B' })
    this.#station.raise('storage', 'storage-unreachable', { detail: 'connect ETIMEDOUT', afterMs: 40_000 })
    this.#station.raise('clock', 'clock-wrong')
  }

  #checkSilence(): void {
    const folders = (this.#settings?.folders ?? []).map((folder) => ({
      folder,
      isWatching: this.#folderState(folder.path).state === 'watching',
    }))
    this.#silences.check(folders, this.#clock.nowMs)
  }

  #folderState(folder: string): Pick<FolderStatus, 'state' | 'problem' | 'problems'> {
    if (this.#options.scene !== 'offline' || folder !== TRACK.path)
      return { state: 'watching', problem: null, problems: [] }
    const problem = problemOf('folder-offline')
    const since = new Date(this.#clock.nowMs).toISOString()
    return { state: 'offline', problem, problems: [{ problem, since, leftOut: [], leftOutCount: 0 }] }
  }

  #write(sceneRecordings: Parameters<typeof writeRecording>[2][], minutesAgo: number): void {
    const folders = this.#settings?.folders ?? []
    for (const sceneRecording of sceneRecordings)
      writeRecording(
        { journal: this.#journal, clock: this.#clock, folders },
        0,
        sceneRecording,
        this.#clock.nowMs - minutesAgo * MINUTE_MS,
      )
  }

  /** Keeps four parts in flight across all recordings, and saves finished parts in the journal. */
  #sendParts(forMs: number): void {
    if (!this.#station.mayStartPart()) return
    this.#parts = partsInFlight(
      this.#parts,
      this.#journal.work.inState(['uploading']).filter(({ problem, paused }) => problem === null && !paused),
    )
    const start = this.#progressMs
    while (this.#progressMs < start + forMs) {
      this.#progressMs += STEP_MS
      for (const part of this.#parts) {
        part.bytes = Math.min(part.bytes + PART_STEP_BYTES, PART_BYTES)
        this.#progress.sending(part.id, part.number, part.bytes)
        if (part.bytes < PART_BYTES) continue
        this.#journal.parts.markSent(part.id, part.number, `"${part.number}"`, { guessed: false })
        this.#progress.partDone(part.id, part.number)
        part.number = nextPart(this.#parts, part.id)
        part.bytes = 0
      }
    }
    if (this.#options.scene === 'busy' && start === 0)
      for (const { id } of this.#journal.work.inState(['hashing'])) {
        const bytes = this.#journal.recordings.byId(id)?.identity.sizeBytes ?? 0
        this.#progress.hashed(id, Math.round(bytes * 0.62))
      }
  }

  #catchUp(): void {
    const passedMs = performance.now() - this.#openedAtMs
    this.#clock.nowMs = Math.round(this.#options.atMs + passedMs)
    this.#sendParts(Math.max(0, passedMs - (this.#progressMs - 30_000)))
  }
}

type PartInFlight = { readonly id: number; number: number; bytes: number }

/** Returns the part after the last one in flight, because a recording's parts are sent in order. */
const nextPart = (parts: readonly PartInFlight[], id: number): number =>
  Math.max(...parts.filter((part) => part.id === id).map(({ number }) => number)) + 1

/**
 * Keeps the parts of recordings that are still uploading. Adds parts until enough are in flight, each for the recording
 * with the fewest parts in flight.
 */
const partsInFlight = (
  previousParts: readonly PartInFlight[],
  uploadingRecordings: readonly Pick<Recording, 'id' | 'partsSent'>[],
): PartInFlight[] => {
  const parts = previousParts.filter(({ id }) => uploadingRecordings.some((recording) => recording.id === id))
  const countInFlight = (id: number) => parts.filter((part) => part.id === id).length
  while (uploadingRecordings.length > 0 && parts.length < PARALLEL_PARTS) {
    const [first] = uploadingRecordings.toSorted((a, b) => countInFlight(a.id) - countInFlight(b.id))
    if (first === undefined) break
    const number = countInFlight(first.id) === 0 ? first.partsSent + 1 : nextPart(parts, first.id)
    // Each part starts with a different share already sent, so that the parts do not end together.
    parts.push({ id: first.id, number, bytes: (parts.length * PART_BYTES) / PARALLEL_PARTS })
  }
  return parts
}

/** In the scene `short-of-space`, the upload hours end before all uploads are done. */
const settingsIn = (scene: Scene, settings: Settings | null): Settings | null =>
  scene === 'short-of-space' && settings !== null
    ? settingsSchema.parse({ ...settings, transfer: { windows: [{ from: '18:00', to: '09:00' }] } })
    : settings
