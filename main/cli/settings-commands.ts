import { lockedBy, withManaged } from '../../shared/settings/managed-settings.ts'
import { faultSentence } from '../../shared/settings/parse-settings.ts'
import type { SettingsFault } from '../../shared/settings/settings-fault.ts'
import { withoutSecrets } from '../../shared/settings/settings-without-secrets.ts'
import { readManagedFile } from '../managed/managed-file.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import { checkOwnFile, readOwnSettings } from './settings-file.ts'
import { ownFileOf, readManagedStation } from './station-settings.ts'
import { jsonText, printJson, printLine, wrapText } from './terminal.ts'

type ShownFault = { readonly line: number | null; readonly column: number | null; readonly sentence: string }

const faultForDisplay = (fault: SettingsFault): ShownFault => ({
  line: fault.line,
  column: fault.column,
  sentence: faultSentence(fault),
})
const faultOfFile = (sentence: string): ShownFault => ({ line: null, column: null, sentence })

/** The errors for which `run` refuses the file, and the settings that `run` accepts but cannot apply as intended. */
const faultsOf = (file: string): readonly ShownFault[] => {
  const { faults, warnings, untrusted } = checkOwnFile(file)
  return [
    ...(untrusted === null ? [] : [faultOfFile(untrusted)]),
    ...[...faults, ...warnings].map(faultForDisplay),
  ]
}

const managedFaultsOf = (file: string): readonly ShownFault[] => {
  const result = readManagedFile(file)
  switch (result.kind) {
    case 'good':
      return result.warnings.map(faultForDisplay)
    case 'missing':
      throw new Error(`${file} does not exist.`)
    case 'held':
      throw new Error(`${file} is in use by another program.`)
    case 'bad':
      return result.faults.length === 0 ? [faultOfFile(result.reason)] : result.faults.map(faultForDisplay)
  }
}

export const settingsCheckCommand = defineCommand({
  name: 'settings check',
  group: 'setup',
  summary: 'check a settings file and show the line of each error',
  about: [
    'Reads the file and changes nothing. Reports every error for which “sluice run” refuses the file, and every setting that works differently than intended. Also checks who can read and change the file. With --as-managed, checks the file by the rules for managed settings.',
  ],
  data: 'none',
  operands: [{ value: { kind: 'file', name: 'FILE' }, summary: 'the settings file', required: true }],
  options: { 'as-managed': { summary: 'check the file as managed settings' } },
  json: 'file, usable, and faults, each with line, column (null if unknown) and sentence.',
  exits: { 0: 'the file can be used', 1: 'the file has problems; each is shown' },
  examples: [
    'sluice settings check settings.json',
    'sluice settings check --as-managed /etc/sluice/settings.json',
  ],
  run: (input) => {
    const file = input.operands[0] ?? ''
    const faults = input.has('as-managed') ? managedFaultsOf(file) : faultsOf(file)
    if (input.json) printJson({ file, usable: faults.length === 0, faults })
    else if (faults.length === 0) printLine(`${file} can be used.`)
    else {
      printLine(`Problems in ${file}:`)
      for (const { line, sentence } of faults)
        for (const row of wrapText(line === null ? sentence : `Line ${line}: ${sentence}`, 2)) printLine(row)
    }
    return faults.length === 0 ? 0 : 1
  },
})

export const settingsShowCommand = defineCommand({
  name: 'settings show',
  group: 'setup',
  summary: 'show the current settings, and which of them are managed',
  about: [
    'Shows the station’s own and managed settings combined, without secrets. Also shows the files from which they come, and any problem with the managed settings. To copy the settings to another station: sluice export settings',
  ],
  data: 'own',
  options: settingsOptions,
  json: 'own_file, managed_file, managed (the paths of the settings that the administrator sets), problem and settings.',
  exits: { 0: 'the settings were printed' },
  examples: ['sluice settings show'],
  run: (input) => {
    const ownFile = ownFileOf(input)
    const ownSettings = readOwnSettings(ownFile)
    const station = readManagedStation(input, ownSettings)
    const { managed, problem } = station.state
    const lockedFields = lockedBy(managed)
    const settings = withoutSecrets(withManaged(ownSettings.settings, managed))
    const managedFile = managed === null && problem === null ? null : station.file
    if (input.json) {
      printJson({ own_file: ownFile, managed_file: managedFile, managed: lockedFields, problem, settings })
      return 0
    }
    printLine(ownFile === null ? 'This station has no settings of its own.' : `Own settings: ${ownFile}`)
    if (managedFile !== null) printLine(`Managed settings: ${managedFile}`)
    for (const line of wrapText(`Set by the administrator: ${lockedFields.join(', ')}`, 0))
      if (lockedFields.length > 0) printLine(line)
    if (problem !== null) for (const line of wrapText(`Problem: ${problem}`, 0)) printLine(line)
    printLine('')
    process.stdout.write(`${jsonText(settings, 2)}\n`)
    return 0
  },
})
