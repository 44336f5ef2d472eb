import { readFileSync, statSync } from 'node:fs'
import { jsonLine } from '../../../shared/json-line.ts'
import { lockedBy, withManaged } from '../../../shared/managed-settings.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { MOST_SETTINGS_BYTES, readSettingsFile } from '../../../shared/read-settings-file.ts'
import { settingsFaults } from '../../../shared/settings-faults.ts'
import { decodeSettingsText } from '../../../shared/settings-text.ts'
import { withoutSecrets } from '../../../shared/settings-without-secrets.ts'
import { readManagedFile } from '../../managed/managed-file.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import { readOwnSettings } from './settings-file.ts'
import { managedBeside, ownFileOf } from './station-settings.ts'
import { jsonText, printJson, printLine, wrapText } from './terminal.ts'

type Fault = { readonly line: number | null; readonly sentence: string }

const tooLarge = 'This file is too large for a settings file.'

const bytesOf = (file: string): Uint8Array | null => {
  try {
    const stats = statSync(file)
    return !stats.isFile() || stats.size > MOST_SETTINGS_BYTES ? null : readFileSync(file)
  } catch {
    throw new Error(`The settings file ${file} cannot be read.`)
  }
}

/** What the window says of a file that is to be imported, and what a start says of its paths and placeholders. */
const faultsOf = (file: string): readonly Fault[] => {
  const bytes = bytesOf(file)
  if (bytes === null) return [{ line: null, sentence: tooLarge }]
  const paths = pathsOf(process.platform)
  const reading = readSettingsFile(bytes, paths)
  if (reading.kind === 'refused') return reading.faults
  const decoded = decodeSettingsText(bytes)
  const text = decoded.ok ? decoded.text : ''
  return settingsFaults(reading.settings, paths).map(({ path, message }) => ({
    line: jsonLine(
      text,
      path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    ),
    sentence: `${path}: ${message}`,
  }))
}

const managedFaultsOf = (file: string): readonly Fault[] => {
  const read = readManagedFile(file)
  switch (read.kind) {
    case 'good':
      return []
    case 'missing':
      throw new Error(`${file} does not exist.`)
    case 'held':
      throw new Error(`${file} is in use by another program.`)
    case 'bad':
      return read.reason.split('; ').map((sentence) => ({ line: null, sentence }))
  }
}

export const settingsCheckCommand = defineCommand({
  name: 'settings check',
  group: 'set',
  summary: 'check a settings file and show the line of each error',
  about: [
    'Changes nothing. With --as-managed it checks the file as managed settings, including its permissions.',
  ],
  data: 'none',
  operands: [{ value: { kind: 'file', name: 'FILE' }, summary: 'the settings file', required: true }],
  options: { 'as-managed': { summary: 'check it as managed settings' } },
  json: 'file, usable, and faults, each with line (null if unknown) and sentence.',
  exits: { 0: 'it can be used', 1: 'it cannot; each error is shown' },
  examples: [
    'sluice settings check settings.json',
    'sluice settings check --as-managed /etc/sluice/settings.json',
  ],
  carryOut: (typed) => {
    const file = typed.operands[0] ?? ''
    const faults = typed.is('as-managed') ? managedFaultsOf(file) : faultsOf(file)
    if (typed.json) printJson({ file, usable: faults.length === 0, faults })
    else if (faults.length === 0) printLine(`${file} can be used.`)
    else {
      printLine(`${file} cannot be used:`)
      for (const { line, sentence } of faults)
        for (const row of wrapText(line === null ? sentence : `Line ${line}: ${sentence}`, 2)) printLine(row)
    }
    return faults.length === 0 ? 0 : 1
  },
})

export const settingsShowCommand = defineCommand({
  name: 'settings show',
  group: 'set',
  summary: 'show the current settings and which are managed',
  about: [
    'Shows their files and errors, and no key. To copy them to another station: sluice export settings',
  ],
  data: 'own',
  options: settingsOptions,
  json: 'own_file, managed_file, managed (what the administrator sets, as paths), problem and settings.',
  exits: { 0: 'the settings were printed' },
  examples: ['sluice settings show'],
  carryOut: (typed) => {
    const ownFile = ownFileOf(typed)
    const own = readOwnSettings(ownFile)
    const station = managedBeside(typed, own)
    const { managed, problem } = station.now
    const locked = lockedBy(managed)
    const settings = withoutSecrets(withManaged(own.settings, managed))
    const managedFile = managed === null && problem === null ? null : station.file
    if (typed.json) {
      printJson({ own_file: ownFile, managed_file: managedFile, managed: locked, problem, settings })
      return 0
    }
    printLine(ownFile === null ? 'This station has no settings of its own.' : `Own settings: ${ownFile}`)
    if (managedFile !== null) printLine(`Managed settings: ${managedFile}`)
    for (const line of wrapText(`Set by the administrator: ${locked.join(', ')}`, 0))
      if (locked.length > 0) printLine(line)
    if (problem !== null) for (const line of wrapText(`Problem: ${problem}`, 0)) printLine(line)
    printLine('')
    process.stdout.write(`${jsonText(settings, 2)}\n`)
    return 0
  },
})
