import { hostname } from 'node:os'
import { pathsOf } from '../../shared/paths/paths.ts'
import { redact } from '../../shared/redaction/redact.ts'
import { withManaged } from '../../shared/settings/managed-settings.ts'
import { withoutSecrets } from '../../shared/settings/settings-without-secrets.ts'
import { CSV_BEGIN, csvLine } from '../../shared/words/csv.ts'
import { plural } from '../../shared/words/format.ts'
import { shownNames } from '../agent/domain/naming.ts'
import type { Recording } from '../agent/journal/journal.ts'
import { recordingJson, stationOf } from '../agent/status/status-report.ts'
import { withJournal } from './journal-commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import { formatOf, outOptions, periodOf, periodOptions } from './receipt-command.ts'
import { readOwnSettings } from './settings-file.ts'
import { ownFileOf, readManagedStation, warn } from './station-settings.ts'
import { jsonText } from './terminal.ts'
import { writeOut } from './write-out.ts'

const columns = [
  'path',
  'site',
  'device',
  'standing',
  'state',
  'bytes',
  'bytes_sent',
  'sha256',
  'session_id',
  'found_at',
  'changed_at',
  'problem',
] as const

const rowOf = (recording: Recording, { standing, problem }: ReturnType<typeof recordingJson>) => ({
  path: recording.path,
  ...shownNames(recording, hostname(), pathsOf(process.platform)),
  standing,
  state: recording.state,
  bytes: recording.identity.sizeBytes,
  bytes_sent: recording.bytesSent,
  sha256: recording.sha256,
  session_id: recording.sessionId,
  found_at: new Date(recording.foundAtMs).toISOString(),
  changed_at: new Date(recording.changedAtMs).toISOString(),
  problem: problem === null ? null : redact(problem.sentence),
})

export const exportRecordingsCommand = defineCommand({
  name: 'export recordings',
  group: 'verify',
  summary: 'export all recordings of this station as CSV or JSON',
  about: [
    'Lists the state of each recording, for a spreadsheet or a script. For parts, times and request IDs, see “sluice receipt”.',
  ],
  data: 'own',
  options: { ...periodOptions, ...outOptions },
  json: `recordings, each with ${columns.join(', ')}; the same as --format json.`,
  exits: { 0: 'written' },
  examples: ['sluice export recordings --out recordings.csv', 'sluice export recordings --since 7d --json'],
  run: async (input) => {
    const format = formatOf(input)
    const { sinceMs, untilMs } = periodOf(input)
    const rows = withJournal(journalFolder(input), (journal) => {
      const { view } = stationOf(journal)
      return journal.views
        .everything()
        .filter(
          ({ foundAtMs }) => foundAtMs >= (sinceMs ?? 0) && foundAtMs < (untilMs ?? Number.POSITIVE_INFINITY),
        )
        .map((recording) => rowOf(recording, recordingJson(recording, view)))
    })
    const text =
      format === 'csv'
        ? CSV_BEGIN +
          [
            csvLine(columns),
            ...rows.map((row) => csvLine(columns.map((name) => String(row[name] ?? '')))),
          ].join('')
        : `${jsonText({ recordings: rows })}\n`
    await writeOut(input.text('out'), [text], plural(rows.length, 'recording'))
    return 0
  },
})

export const exportSettingsCommand = defineCommand({
  name: 'export settings',
  group: 'setup',
  summary: 'export the current settings without secrets',
  about: [
    'Writes one file with the station’s own and managed settings combined, to set up another station. Leaves out the API key and proxy password.',
  ],
  data: 'own',
  options: { out: outOptions.out, ...settingsOptions },
  json: 'The settings themselves, as without --json.',
  exits: { 0: 'written' },
  examples: ['sluice export settings --out hall-3.json'],
  run: async (input) => {
    const ownSettings = readOwnSettings(ownFileOf(input))
    const { managed, problem } = readManagedStation(input, ownSettings).now
    if (problem !== null) warn([problem])
    const settings = withoutSecrets(withManaged(ownSettings.settings, managed))
    await writeOut(input.text('out'), [`${jsonText(settings, 2)}\n`], 'Settings')
    return 0
  },
})
