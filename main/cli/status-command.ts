import { systemClock } from '../../shared/clock/clock.ts'
import { problemNeedsAttention } from '../../shared/status/problem.ts'
import { forecastLine, stopWords } from '../../shared/words/forecast-words.ts'
import { formatBytes, plural } from '../../shared/words/format.ts'
import { freeSpaceLine } from '../../shared/words/free-space-words.ts'
import { inspectionLine } from '../../shared/words/inspection-words.ts'
import { takeLine } from '../../shared/words/take-words.ts'
import { TEST_KEY_SENTENCE } from '../../shared/words/test-key-words.ts'
import { updateWords } from '../../shared/words/update-words.ts'
import { type StatusReport, statusReport } from '../agent/status/status-report.ts'
import { folderToRead } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import { findAgent, findConditions, readJournalOrAgent } from './running-agent.ts'
import { printJson, printLine, printWrapped, problemLine, rowWord, WORD_WIDTH } from './terminal.ts'
import { watchStatus } from './watch/watch-status.ts'
import { NOT_RUNNING_SENTENCE, nowLine, stayingLine } from './watch/watch-view.ts'

type FoundAgent = Awaited<ReturnType<typeof findAgent>>

const agentJson = ({ agent }: FoundAgent) =>
  agent === null
    ? null
    : {
        version: agent.version,
        pid: agent.pid,
        account: agent.account,
        host: agent.host,
        started_at: agent.startedAt,
      }

/** `status` lists at most this many recordings. If the station has more, it lists only those that are not safe. */
const MAX_ROWS = 40

const printRow = (recording: StatusReport['recordings'][number]): void => {
  const sent = `${formatBytes(recording.bytes_sent)} of ${formatBytes(recording.bytes)}`
  const word = rowWord(recording, systemClock.wallMs())
  printLine(`${word.padEnd(WORD_WIDTH)}  ${sent.padStart(22)}  ${recording.path}`)
  if (recording.problem !== null) printWrapped(problemLine(recording.problem), WORD_WIDTH + 2)
  const { inspection, differences, deviations, standing, waits_for: waitsFor } = recording
  if (waitsFor !== null) printWrapped(`Waiting for ${waitsFor}`, WORD_WIDTH + 2)
  if (deviations.length > 0) printWrapped(`Not as expected: ${deviations.join(' ')}`, WORD_WIDTH + 2)
  // A safe recording with nothing to report needs no second line.
  const hasDetails = standing !== 'safe' || inspection?.completeness === 'cut-off' || differences.length > 0
  if (inspection !== null && inspection.format !== 'other' && hasDetails)
    printWrapped([inspectionLine(inspection), ...differences].join(' '), WORD_WIDTH + 2)
}

const printRows = (recordings: StatusReport['recordings']): void => {
  if (recordings.length === 0) return
  printLine('')
  const candidates =
    recordings.length <= MAX_ROWS ? recordings : recordings.filter(({ standing }) => standing !== 'safe')
  const rows = candidates.slice(-MAX_ROWS)
  for (const recording of rows) printRow(recording)
  const more = recordings.length - rows.length
  if (more > 0)
    printLine(`${plural(more, 'more recording')} not shown. To list all: sluice export recordings`)
}

/** Also lists the files that are left out, because no other command lists them. */
const printFolder = ({ path, problems }: StatusReport['station']['folders'][number]): void => {
  for (const problem of problems) {
    printWrapped(`${path}: ${problemLine(problem)}`)
    for (const leftOut of problem.left_out) printWrapped(`Left out: ${leftOut}`, 2)
    const more = problem.left_out_count - problem.left_out.length
    if (more > 0) printWrapped(`Left out: ${plural(more, 'more path')}`, 2)
  }
}

const hostWords = { window: 'in a window', terminal: 'in a terminal', service: 'as a service' } as const

/** Describes the agent that runs this station, or why this program reaches no agent. */
const agentLine = ({ agent, trouble }: FoundAgent): string =>
  agent === null
    ? (trouble ?? NOT_RUNNING_SENTENCE)
    : `Agent ${agent.version} runs ${hostWords[agent.host]} as ${agent.account} (process ${agent.pid}).`

const printText = ({ station, recordings }: StatusReport, foundAgent: FoundAgent): void => {
  printWrapped(station.headline)
  if (station.test_key) printWrapped(TEST_KEY_SENTENCE)
  if (station.detail !== '') printWrapped(station.detail)
  for (const condition of station.conditions) printWrapped(problemLine(condition))
  for (const folder of station.folders) printFolder(folder)
  for (const { sentence, because } of station.silences) printWrapped(`${sentence} ${because}`)
  for (const { held, ...take } of station.takes_to_check.newest)
    printWrapped(takeLine({ ...take, isHeld: held }))
  for (const files of station.staying) printWrapped(stayingLine(files))
  if (station.bytes_per_second !== null) printWrapped(nowLine(station))
  if (station.forecast.kind !== 'nothing')
    printWrapped(`Time left: ${forecastLine(station.forecast, systemClock.wallMs(), stopWords(station))}`)
  for (const drive of station.drive_space) printWrapped(`Disk space on ${freeSpaceLine(drive)}`)
  const { checked_at: checkedAt, last_result: lastResult, ...update } = station.update
  if (update.offered !== null || lastResult !== null)
    printWrapped(updateWords({ ...update, checkedAt, lastResult }))
  printWrapped(agentLine(foundAgent))
  printRows(recordings)
}

/**
 * True if an alert could report something (see `needsIn` in `attention.ts`), or if the station has a condition, even
 * one that ends by itself.
 */
const needsAttention = (station: StatusReport['station']): boolean =>
  station.standings['needs-attention'] > 0 ||
  station.problem !== null ||
  station.folders.some(({ problems }) => problems.some(problemNeedsAttention)) ||
  station.takes_to_check.count > 0 ||
  station.silences.some(({ loud }) => loud) ||
  station.drive_space.some(({ low }) => low)

export const statusCommand = defineCommand({
  name: 'status',
  group: 'view',
  summary: 'show the status of the station',
  about: [
    'Works with and without a running agent. If this account may not read the journal, the running agent reads it for the command. So members of control.group can use this command too. Shows the headline and its detail line, conditions of the station, problems of folders with the files that are left out, silent folders, recordings that are not as expected, files that stay on this PC although they are due for removal, the current speed, time left, disk space, updates, the running agent and the recordings. With more than 40 recordings, lists only those that are not safe, at most 40.',
    '--watch keeps running and shows progress; press q or Ctrl-C to stop. If the output is not a terminal, it prints one line per change.',
  ],
  data: 'own',
  options: {
    watch: { summary: 'keep running and show progress' },
    check: { summary: 'exit with 2 if something needs attention' },
  },
  json: 'station (headline, detail, paused, paused_since, upload_now, problem, conditions, test_key, takes_to_check (count; newest, each with name, folder, held and deviations), staying (each with reason, sentence and count), standings, bytes_left, bytes_per_second, forecast, drive_space, folders, update (version, mode, channel, checked_at, offered, last_result), …; each folder has path, state and problems with left_out) and recordings, each with path, take, state, standing, session_id, sha256, bytes, bytes_sent, settles_at, waits_for, parts_total, parts_sent, problem, removed_at, moved_to, stays_because, inspection (format, completeness, started_at, ended_at, duration_s, channels, warnings), differences and deviations; and agent (version, pid, account, host, started_at; null if none is running). With --watch: one object per change, without agent. Its recordings are those in progress or waiting, at most 200 of each, without stays_because, inspection, differences and deviations.',
  exits: {
    0: 'the status was printed',
    2: 'with --check: a recording or folder needs attention, a recording is not as expected, files are left out, a folder with silence “loud” is silent, a drive is almost full or will be full before the next noon, or the station has a problem',
  },
  examples: ['sluice status', 'sluice status --watch', 'sluice status --check --json'],
  run: async (input) => {
    if (input.has('watch')) {
      if (input.has('check')) throw input.refuse('--check cannot be combined with --watch.')
      await watchStatus(folderToRead(input), input.json)
      return 0
    }
    const dataFolder = folderToRead(input)
    const conditions = await findConditions(dataFolder)
    const report = await readJournalOrAgent(
      dataFolder,
      (journal) => statusReport(journal, conditions),
      (call) => call('getStatusReport', undefined) as Promise<ReturnType<typeof statusReport>>,
    )
    const foundAgent = await findAgent(dataFolder)
    if (input.json) printJson({ ...report, agent: agentJson(foundAgent) })
    else printText(report, foundAgent)
    return input.has('check') && needsAttention(report.station) ? 2 : 0
  },
})
