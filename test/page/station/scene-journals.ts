import { constants, cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as commands from '../../../main/agent/calls/commands.ts'
import { type Journal, openJournal } from '../../../main/agent/journal/journal.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { copyRecording, editJournal } from '../../support/journal-file.ts'
import { foundAt } from '../scripted/night.ts'
import type { Scene } from '../scripted/scene.ts'
import { writeActivity } from './activity.ts'
import { writeNights } from './nights.ts'
import { recordingsIn, writeRecording } from './recordings.ts'
import { writeThroughput } from './throughput.ts'
import { writeUploadRates } from './tonight.ts'

const MINUTE_MS = 60_000
const MANY_RECORDINGS = 100_000
const REFUSED_RECORDINGS = 1_000
/** Safe recordings in the scene `refused`. More would only slow down the copy of the journal. */
const SAFE_BESIDE_REFUSED = 1_000
/** How long ago the newest recording was found: in these scenes, it has just been processed. */
const NEWEST_MINUTES: Readonly<Partial<Record<Scene, number>>> = { calm: 16, damaged: 16, dismissed: 16 }

type SceneRequest = {
  readonly scene: Scene
  /** The number of recordings in the scene `many`. */
  readonly rows?: number | undefined
  readonly folders: readonly FolderSettings[]
  /** The time of the scene. */
  readonly atMs: number
}

/** Tests may share a journal if their times differ by no more than this. */
const SAME_MOMENT_MS = 2 * MINUTE_MS

/**
 * The journals of the scenes, in a folder that all tests of a run share, so that 100,000 rows are written only once.
 */
export class SceneJournals {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Copies the journal of a scene into a folder. */
  copyTo(folder: string, request: SceneRequest): void {
    const name = this.#find(request) ?? this.#createJournal(request)
    cpSync(path.join(this.#folder, name), folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
  }

  #find({ scene, rows = MANY_RECORDINGS, atMs }: SceneRequest): string | undefined {
    return readdirSync(this.#folder).find((name) => {
      const [key, createdAtMs] = name.split('@')
      const ageMs = atMs - Number(createdAtMs)
      return key === `${scene}-${rows}` && ageMs >= 0 && ageMs <= SAME_MOMENT_MS
    })
  }

  #createJournal(request: SceneRequest): string {
    const name = `${request.scene}-${request.rows ?? MANY_RECORDINGS}@${request.atMs}`
    const folder = mkdtempSync(path.join(this.#folder, 'making-'))
    createJournal(folder, request)
    try {
      renameSync(folder, path.join(this.#folder, name))
    } catch (error) {
      // A parallel test worker may have created the same journal.
      rmSync(folder, { recursive: true, force: true })
      if (!existsSync(path.join(this.#folder, name))) throw error
    }
    return name
  }
}

/** How long the station has been paused: a user forgot to resume it overnight. */
const PAUSED_FOR_MS = 13 * 3_600_000

const isLarge = (scene: Scene): scene is 'many' | 'refused' => scene === 'many' || scene === 'refused'

const createJournal = (folder: string, request: SceneRequest): void => {
  const { scene, folders, atMs } = request
  if (scene === 'silent') writeNights(folder, { nowMs: atMs }, folders)
  else createSmallJournal(folder, request)
  if (isLarge(scene)) enlarge(folder, scene, request.rows ?? MANY_RECORDINGS)
}

const createSmallJournal = (folder: string, { scene, folders, atMs }: SceneRequest): void => {
  const clock = { nowMs: atMs }
  const { journal } = openJournal(folder, () => clock.nowMs)
  const sceneRecordings = recordingsIn(scene, atMs)
  journal.transaction(() => {
    journal.station.setService('https://api.example.com')
    sceneRecordings.forEach((sceneRecording, index) => {
      const foundAtMs = foundAt(index, atMs, NEWEST_MINUTES[scene])
      const id = writeRecording({ journal, clock, folders }, index, sceneRecording, foundAtMs)
      const recording = journal.recordings.byId(id)
      if (sceneRecording.isDismissed === true && recording !== null) commands.dismiss(journal, recording)
    })
    if (scene === 'short-of-space') writeNightsBefore(journal, clock, folders)
    writeUploadRates(journal, clock, folders, scene)
    writeThroughput(journal, clock, scene)
    if (sceneRecordings.length > 0) writeActivity(journal, atMs)
    if (scene === 'paused') {
      clock.nowMs = atMs - PAUSED_FOR_MS
      journal.station.pause(null)
      clock.nowMs = atMs
    }
  })
  journal.close()
}

/** Writes the recordings of 20 earlier nights, so that the forecast can learn how much the folders record. */
const writeNightsBefore = (
  journal: Journal,
  clock: { nowMs: number },
  folders: readonly FolderSettings[],
): void => {
  const atMs = clock.nowMs
  for (let night = 1; night <= 20; night += 1)
    for (let hour = 0; hour < 4; hour += 1) {
      const foundAtMs = atMs - night * 24 * 60 * MINUTE_MS - hour * 125 * MINUTE_MS
      writeRecording({ journal, clock, folders }, 100 + night * 4 + hour, { state: 'processed' }, foundAtMs)
    }
}

const enlarge = (folder: string, scene: 'many' | 'refused', rows: number): void => {
  const numberedColumn = (column: 'name' | 'path') =>
    `replace(recordings.${column}, '.mcap', printf('_%05d.mcap', counter.n))`
  const newNames = { name: numberedColumn('name'), path: numberedColumn('path') }
  if (scene === 'many') {
    copyRecording(folder, rows - 41, newNames, 42)
    editJournal(
      folder,
      `INSERT INTO timeline (recording_id, at, to_state, reason)
       SELECT id, found_at, 'growing', 'found' FROM recordings
       WHERE id > (SELECT MAX(recording_id) FROM timeline)`,
    )
    return
  }
  // The copies are small enough that all fit on the drive.
  const smallCopy = { ...newNames, bytes: '20000000' }
  copyRecording(folder, REFUSED_RECORDINGS, {
    ...smallCopy,
    found_at: 'recordings.found_at - counter.n * 1000',
  })
  copyRecording(
    folder,
    SAFE_BESIDE_REFUSED,
    { ...smallCopy, found_at: 'recordings.found_at - 86400000 - counter.n * 60000' },
    2,
  )
}
