import { formatCount } from '../../../shared/format.ts'
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
  waiting: number,
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
    waiting,
    lastFoundAt: new Date(Date.now() - 180_000).toISOString(),
  },
  {
    path: '\\\\nas-02\\capture\\outdoor',
    site: 'Test track',
    device: null,
    state: offline ? 'offline' : 'watching',
    problem,
    recordings: Math.floor(rows * 0.2),
    waiting: Math.ceil(waiting / 4),
    lastFoundAt: new Date(Date.now() - 7_400_000).toISOString(),
  },
]

const folderGone: Problem = {
  code: 'folder-offline',
  owner: 'technician',
  sentence: 'The folder is not there; the share may be off.',
  next: 'Sluice looks every 15 seconds and carries on when it is back.',
  endsBy: 'file',
  nextAt: null,
  requestId: null,
  param: null,
}

const headlines: Readonly<Record<Scene, string>> = {
  busy: 'Uploading 3 of 12, about 14 minutes left.',
  calm: 'All 42 recordings are safe. Last one 3 minutes ago.',
  paused: 'Paused. 12 recordings wait.',
  offline: 'The service cannot be reached. 12 recordings wait safely.',
  conditions: 'The service refuses the key of this station. 12 recordings wait safely.',
  many: 'Uploading 3 of 12, about 14 minutes left.',
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
      return { recorded: 31, uploaded: 24, processed: 21, failed: 1, waiting: 7 }
    case 'offline':
    case 'conditions':
    case 'paused':
      return { recorded: 31, uploaded: 19, processed: 19, failed: 0, waiting: 12 }
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
  return {
    at: new Date().toISOString(),
    station: {
      state: paused ? 'paused' : stationStates[scene],
      headline:
        scene === 'busy'
          ? '2 recordings need you. Uploading 3 of 12.'
          : scene === 'many'
            ? `${formatCount(total)} recordings, 3 of 12 uploading.`
            : headlines[scene],
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
      bytesPerSecond: moving && !paused ? 84_200_000 : 0,
      bytesLeft: moving || paused || conditions.length > 0 ? 71_300_000_000 : 0,
      etaSeconds: moving && !paused ? 846 : null,
    },
    folders: folders(
      total,
      scene === 'calm' || scene === 'empty' ? 0 : 7,
      scene === 'offline',
      scene === 'offline' ? folderGone : null,
    ),
    problems: groups,
    recent: head.slice(0, 5),
    report: { since: yesterdayEvening(), ...reportOf(scene) },
  }
}
