import {
  type FolderStatus,
  type MorningReport,
  needsSomebody,
  type Problem,
  type ProblemGroup,
  type RecordingRow,
  type RecordingState,
  recordingStates,
  type Status,
} from '../../../shared/status.ts'
import { problems } from './recordings.ts'
import type { Scene } from './scene.ts'

const folders = (
  rows: number,
  [waitingInHall, waitingOutdoors]: readonly [number, number],
  offline: boolean,
  problem: Problem | null,
): FolderStatus[] => [
  {
    path: 'D:\\Recordings\\hall-3',
    site: 'Hall 3',
    device: 'rig-07',
    state: 'watching',
    problem: null,
    recordings: Math.ceil(rows * 0.8),
    waiting: waitingInHall,
    lastFoundAt: new Date(Date.now() - 180_000).toISOString(),
  },
  {
    path: '\\\\nas-02\\capture\\outdoor',
    site: 'Test track',
    device: null,
    state: offline ? 'offline' : 'watching',
    problem,
    recordings: Math.floor(rows * 0.2),
    waiting: waitingOutdoors,
    lastFoundAt: new Date(Date.now() - 7_400_000).toISOString(),
  },
]

const folderGone: Problem = {
  code: 'folder-offline',
  owner: 'technician',
  sentence: 'The folder is not there.',
  next: 'Connect the drive or share. Sluice looks every 15 seconds and carries on by itself.',
  endsBy: 'file',
  nextAt: null,
  requestId: null,
  param: null,
}

const headlines: Readonly<Record<Scene, string>> = {
  busy: '2 recordings need you. Uploading 4 of 8.',
  calm: 'All 42 recordings are safe. Last one 3 minutes ago.',
  paused: 'Paused until you resume. 9 recordings wait.',
  offline: 'The service cannot be reached. 9 recordings wait.',
  conditions: 'The service refuses the key of this station. 9 recordings wait.',
  many: '100,000 recordings, 4 of 8 uploading.',
  refused: '10,000 recordings need you.',
  empty: 'Watching 2 folders. No recordings yet.',
  'first-run': 'Sluice is not set up yet.',
  damaged: 'All 42 recordings are safe. Last one 3 minutes ago.',
}

const stationStates: Readonly<Record<Scene, Status['station']['state']>> = {
  busy: 'attention',
  calm: 'idle',
  paused: 'paused',
  offline: 'offline',
  conditions: 'attention',
  many: 'working',
  refused: 'attention',
  empty: 'idle',
  'first-run': 'idle',
  damaged: 'idle',
}

/** What is true of the station, the gravest first. */
const conditionsOf = (scene: Scene, nextAt: string): readonly Problem[] => {
  if (scene === 'offline') return [{ ...problems.offline, nextAt }]
  if (scene === 'conditions')
    return [problems.keyRefused, { ...problems.storageUnreachable, nextAt }, problems.clockWrong]
  return []
}

const groupsOf = (
  scene: Scene,
  rows: readonly RecordingRow[],
  conditions: readonly Problem[],
): ProblemGroup[] => {
  const group = (problem: Problem, count: number): ProblemGroup => ({
    problem,
    count,
    examples: rows
      .filter((row) => row.problem?.code === problem.code)
      .slice(0, 3)
      .map(({ id, name }) => ({ id, name })),
  })
  const ofStation = conditions.map((problem) => ({ problem, count: 0, examples: [] }))
  if (scene === 'refused') return [group(problems.siteRefused, 10_000)]
  if (scene === 'offline')
    return [
      ...ofStation,
      { problem: folderGone, count: 0, folder: '\\\\nas-02\\capture\\outdoor', examples: [] },
    ]
  if (scene === 'busy')
    return [
      group(problems.storageBusy, 1),
      group(problems.completionPending, 1),
      group(problems.siteRefused, 1),
      group(problems.refused, 1),
    ]
  return ofStation
}

const reportOf = (scene: Scene): Omit<MorningReport, 'since'> => {
  switch (scene) {
    case 'busy':
    case 'many':
      return { recorded: 31, uploaded: 22, processed: 19, failed: 1, waiting: 9 }
    case 'offline':
    case 'conditions':
    case 'paused':
      return { recorded: 31, uploaded: 22, processed: 20, failed: 0, waiting: 9 }
    case 'refused':
      return { recorded: 10_000, uploaded: 0, processed: 0, failed: 0, waiting: 10_000 }
    case 'empty':
    case 'first-run':
      return { recorded: 0, uploaded: 0, processed: 0, failed: 0, waiting: 0 }
    case 'calm':
    case 'damaged':
      return { recorded: 31, uploaded: 31, processed: 31, failed: 0, waiting: 0 }
  }
}

/** On the way, in the hall and outdoors. */
const waitingOf = (scene: Scene): readonly [number, number] => {
  if (scene === 'refused') return [8_000, 2_000]
  return scene === 'calm' || scene === 'empty' ? [0, 0] : [9, 2]
}

const unsent: readonly RecordingState[] = ['growing', 'queued', 'hashing', 'ready', 'uploading']
const bytesLeftOf = (rows: readonly RecordingRow[]): number =>
  rows
    .filter(({ state }) => unsent.includes(state))
    .reduce((sum, { bytes, bytesSent }) => sum + bytes - bytesSent, 0)

const yesterdayEvening = () => {
  const since = new Date()
  since.setDate(since.getDate() - 1)
  since.setHours(18, 0, 0, 0)
  return since.toISOString()
}

export const statusOf = (
  scene: Scene,
  total: number,
  head: readonly RecordingRow[],
  pausedUntil: string | null | false,
): Status => {
  const counts = Object.fromEntries(recordingStates.map((state) => [state, 0])) as Record<
    RecordingState,
    number
  >
  for (const row of head) counts[row.state] += 1
  if (scene === 'refused') counts.ready = 10_000
  const moving = scene === 'busy' || scene === 'many'
  const paused = scene === 'paused' || pausedUntil !== false
  const nextAt = new Date(Date.now() + 40_000).toISOString()
  const conditions = conditionsOf(scene, nextAt)
  const groups = groupsOf(scene, head, conditions)
  const bytesPerSecond = moving && !paused ? 84_200_000 : 0
  const bytesLeft = moving || paused || conditions.length > 0 ? bytesLeftOf(head) : 0
  return {
    at: new Date().toISOString(),
    station: {
      state: paused ? 'paused' : stationStates[scene],
      headline: headlines[scene],
      paused,
      pausedUntil: pausedUntil === false ? null : pausedUntil,
      problem: conditions[0] ?? null,
      conditions,
      outsideWindowUntil: null,
      clockOffsetMs: scene === 'conditions' ? 900_000 : 1_200,
      serviceReachable: scene !== 'offline',
    },
    counts,
    needPerson: groups
      .filter(({ problem }) => needsSomebody(problem))
      .reduce((sum, group) => sum + group.count, 0),
    transfer: {
      bytesPerSecond,
      bytesLeft,
      etaSeconds: bytesPerSecond > 0 ? Math.round(bytesLeft / bytesPerSecond) : null,
    },
    folders: folders(total, waitingOf(scene), scene === 'offline', scene === 'offline' ? folderGone : null),
    problems: groups,
    recent: head.slice(0, 5),
    report: { since: yesterdayEvening(), ...reportOf(scene) },
  }
}
