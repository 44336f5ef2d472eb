import { withManaged } from '../../shared/settings/managed-settings.ts'
import { withoutSecrets } from '../../shared/settings/settings-without-secrets.ts'
import { exportColumns } from '../../shared/status/exported-recording.ts'
import { CSV_BEGIN, csvLine } from '../../shared/words/csv.ts'
import { plural } from '../../shared/words/format.ts'
import { exportedRecordings } from '../agent/calls/exported-recordings.ts'
import { folderToRead } from './journal-folder.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import {
  formatOf,
  instantOf,
  MEMBERS_SENTENCE,
  outOptions,
  periodOf,
  periodOptions,
} from './receipt-command.ts'
import { readFilesOrAgent, readJournalOrAgent } from './running-agent.ts'
import { readOwnSettings } from './settings-file.ts'
import { ownFileOf, readManagedStation, warn } from './station-settings.ts'
import { jsonText } from './terminal.ts'
import { writeOut } from './write-out.ts'

export const exportRecordingsCommand = defineCommand({
  name: 'export recordings',
  group: 'verify',
  summary: 'export all recordings of this station as CSV or JSON',
  about: [
    'Lists the state of each recording, for a spreadsheet or a script. For parts, more times and request IDs, see “sluice receipt”.',
    MEMBERS_SENTENCE,
  ],
  data: 'own',
  options: { ...periodOptions, ...outOptions },
  json: `recordings, each with ${exportColumns.join(', ')}; the same as --format json.`,
  exits: { 0: 'written' },
  examples: ['sluice export recordings --out recordings.csv', 'sluice export recordings --since 7d --json'],
  run: async (input) => {
    const format = formatOf(input)
    const { sinceMs, untilMs } = periodOf(input)
    const rows = await readJournalOrAgent(
      folderToRead(input),
      (journal) => exportedRecordings(journal, { sinceMs, untilMs }),
      (call) => call('getExportedRecordings', { since: instantOf(sinceMs), until: instantOf(untilMs) }),
    )
    const text =
      format === 'csv'
        ? CSV_BEGIN +
          [
            csvLine(exportColumns),
            ...rows.map((row) => csvLine(exportColumns.map((name) => String(row[name] ?? '')))),
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
    'Writes one file with the station’s own and managed settings combined, to set up another station. Leaves out the API key, the monitoring token and URLs, and the proxy’s user name and password.',
    MEMBERS_SENTENCE,
  ],
  data: 'own',
  options: { out: outOptions.out, ...settingsOptions },
  json: 'the settings; the output is the same without --json.',
  exits: { 0: 'written' },
  examples: ['sluice export settings --out hall-3.json'],
  run: async (input) => {
    const settings = await readFilesOrAgent(
      input.data,
      () => {
        const own = readOwnSettings(ownFileOf(input))
        const { managed, problem } = readManagedStation(input, own).state
        if (problem !== null) warn([problem])
        return withoutSecrets(withManaged(own.settings, managed))
      },
      async (call) => withoutSecrets((await call('getSettings', undefined)).settings),
    )
    await writeOut(input.text('out'), [`${jsonText(settings, 2)}\n`], 'Settings')
    return 0
  },
})
