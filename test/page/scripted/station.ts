import { formatCount } from '../../../shared/format.ts'
import {
  type FolderStatus,
  type MorningReport,
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
  nextAt: null,
  requestId: null,
}

const headlines: Readonly<Record<Scene, string>> = {
  busy: 'Uploading 3 of 12, about 14 minutes left.',
  calm: 'All 42 recordings are safe. Last one 3 minutes ago.',
  paused: 'Paused. 12 recordings wait.',
  offline: 'The service cannot be reached. 12 recordings wait safely.',
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
  many: 'working',
  refused: 'attention',
  empty: 'idle',
  'first-run': 'idle',
  damaged: 'idle',
}

const groupsOf = (scene: Scene, rows: readonly RecordingRow[], nextAt: string): ProblemGroup[] => {
  const group = (problem: Problem, count: number): ProblemGroup => ({
    problem,
    count,
    examples: rows
      .filter((row) => row.problem?.code === problem.code)
      .slice(0, 3)
      .map(({ id, name }) => ({ id, name })),
  })
  if (scene === 'refused') return [group(problems.keyRefused, 10_000)]
  if (scene === 'offline')
    return [
      { problem: { ...problems.offline, nextAt }, count: 0, examples: [] },
      { problem: folderGone, count: 0, folder: '\\\\nas-02\\capture\\outdoor', examples: [] },
    ]
  if (scene === 'busy') return [group(problems.changing, 1), group(problems.refused, 1)]
  return []
}

const reportOf = (scene: Scene): Omit<MorningReport, 'since'> => {
  switch (scene) {
    case 'busy':
    case 'many':
      return { recorded: 31, uploaded: 24, processed: 22, failed: 2, waiting: 7 }
    case 'offline':
    case 'paused':
      return { recorded: 31, uploaded: 19, processed: 19, failed: 0, waiting: 12 }
    case 'refused':
      return { recorded: 240, uploaded: 0, processed: 0, failed: 0, waiting: 0 }
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
  if (scene === 'refused') counts.blocked = 10_000
  const moving = scene === 'busy' || scene === 'many'
  const paused = scene === 'paused' || pausedUntil !== false
  const nextAt = new Date(Date.now() + 40_000).toISOString()
  const groups = groupsOf(scene, head, nextAt)
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
      problem:
        scene === 'offline'
          ? { ...problems.offline, nextAt }
          : scene === 'refused'
            ? problems.keyRefused
            : null,
      outsideWindowUntil: null,
      clockOffsetMs: 1_200,
      serviceReachable: scene !== 'offline',
    },
    counts,
    needPerson: groups.reduce((sum, group) => sum + group.count, 0),
    transfer: {
      bytesPerSecond: moving && !paused ? 84_200_000 : 0,
      bytesLeft: moving || paused || scene === 'offline' ? 71_300_000_000 : 0,
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
