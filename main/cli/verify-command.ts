import { setTimeout } from 'node:timers/promises'
import { pathsOf } from '../../shared/paths/paths.ts'
import { withManaged } from '../../shared/settings/managed-settings.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import type { Receipt, ReceiptEntry } from '../../shared/status/receipt.ts'
import { plural } from '../../shared/words/format.ts'
import { checkAllAtService } from '../agent/calls/check-all-at-service.ts'
import { NotAReceiptError, readReceipt } from '../agent/calls/read-receipt.ts'
import {
  changedContent,
  checkDisk,
  checkService,
  type VerifiedEntry,
  type VerifyResult,
} from '../agent/calls/verify-receipt.ts'
import { folderToRead, journalFolder } from './journal-folder.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { replacedTexts, replaceEditedFiles } from './replace-edited.ts'
import { printWait } from './request-with-retry.ts'
import { readOwnSettings } from './settings-file.ts'
import {
  NO_KEY_SENTENCE,
  ownFileOf,
  readManagedStation,
  stationSettings,
  warn,
  withService,
} from './station-settings.ts'
import { printJson, printLine, wrapText } from './terminal.ts'
import { disagreementTexts, readingProgress, verifyAll } from './verify-all.ts'

type Input = CommandInput<'all' | 'settings' | 'managed' | 'disk-only' | 'service-only'>

const ALL_AGREE = 0
const SOMETHING_DIFFERS = 1
const NOT_CHECKED = 2

const REQUEST_TIMEOUT_MS = 20_000
const SKIPPED: VerifyResult = { verdict: 'skipped' }

/**
 * The watched folders, and the folders to which their files move. `verify` opens files on shares only inside these
 * folders, so the list comes only from trusted settings. If it is empty, `verify` still reads files on local drives.
 */
const stationFolders = (input: Input): readonly string[] => {
  try {
    const ownSettings = readOwnSettings(ownFileOf(input))
    const { managed } = readManagedStation(input, ownSettings).state
    const { folders } = withManaged(
      ownSettings.untrusted === null ? ownSettings.settings : draftSettingsSchema.parse({}),
      managed,
    )
    return folders.flatMap(({ path, after_upload: rule }) =>
      rule.action === 'move' ? [path, rule.to] : [path],
    )
  } catch {
    return []
  }
}

const checkFiles = async (entries: readonly ReceiptEntry[], input: Input): Promise<VerifyResult[]> => {
  const folders = stationFolders(input)
  const progress = readingProgress(entries.reduce((sum, { bytes }) => sum + bytes, 0))
  const results: VerifyResult[] = []
  // One file at a time, because a disk that seeks between two files is slow.
  for (const entry of entries)
    results.push(
      await checkDisk(entry, {
        paths: pathsOf(process.platform),
        folders,
        onBytes: progress.onBytes,
      }),
    )
  progress.end()
  return results
}

const checkSessions = (entries: readonly ReceiptEntry[], input: Input): Promise<readonly VerifyResult[]> => {
  const station = stationSettings(input)
  warn(station.warnings)
  if (station.apiKey === null) {
    const sentence = station.keyProblem ?? NO_KEY_SENTENCE
    const unchecked: VerifyResult = { verdict: 'unchecked', what: 'no-key', sentence }
    return Promise.resolve(entries.map(() => unchecked))
  }
  const { base_url } = station.settings.service
  return withService(station, (client) =>
    checkAllAtService(entries, {
      checkEntry: (entry) => checkService(entry, client, base_url, AbortSignal.timeout(REQUEST_TIMEOUT_MS)),
      sleep: (ms) => setTimeout(ms),
      onWait: printWait,
    }),
  )
}

type Verdict = 'agrees' | 'differs' | 'unchecked'

/** A difference on the disk or at the service is enough, even if the other one could not be checked. */
const verdictOf = ({ disk, service }: VerifiedEntry): Verdict => {
  const verdicts = [disk.verdict, service.verdict]
  if (verdicts.includes('differs')) return 'differs'
  return verdicts.includes('unchecked') ? 'unchecked' : 'agrees'
}

const resultLines = (name: string, result: VerifyResult): string[] =>
  result.verdict === 'skipped' ? [] : wrapText(`${name}: ${result.sentence}`, 11)

const printText = (
  receipt: Receipt,
  isUnchanged: boolean,
  entries: readonly VerifiedEntry[],
  counts: Readonly<Record<Verdict, number>>,
  replaced: number,
): void => {
  const print = (text: string) => {
    for (const line of wrapText(text, 0)) printLine(line)
  }
  print(`Receipt of ${receipt.station}, written ${receipt.made_at}, ${plural(entries.length, 'recording')}.`)
  print(
    isUnchanged
      ? 'The receipt is unchanged: its digest matches.'
      : 'The receipt was changed: its digest does not match.',
  )
  for (const entry of entries) {
    printLine(`${verdictOf(entry).padEnd(9)}  ${entry.path}`)
    for (const line of [...resultLines('Disk', entry.disk), ...resultLines('Service', entry.service)])
      printLine(line)
  }
  for (const text of replacedTexts(replaced)) print(text)
  const agreeText = `${counts.agrees} of ${plural(entries.length, 'recording')} ${counts.agrees === 1 ? 'agrees' : 'agree'}`
  print(`${[agreeText, ...disagreementTexts(counts)].join(', ')}.`)
}

/**
 * Throws before it reads a recording if the file is not a receipt, or if the settings are unusable. `--disk-only` and
 * `--all` need no settings.
 */
const verify = async (input: Input): Promise<number> => {
  const [file] = input.operands
  if (input.has('all')) {
    if (file !== undefined) throw input.refuse('Name a receipt or give --all, not both.')
    if (input.has('service-only'))
      throw input.refuse('--all reads the files of this PC. To compare with the service, verify a receipt.')
    return verifyAll(folderToRead(input), input.json, {
      agree: ALL_AGREE,
      differ: SOMETHING_DIFFERS,
      unchecked: NOT_CHECKED,
    })
  }
  if (file === undefined) throw input.refuse('No receipt file given. Name a receipt, or use --all.')
  const [isDiskOnly, isServiceOnly] = [input.has('disk-only'), input.has('service-only')]
  if (isDiskOnly && isServiceOnly)
    throw input.refuse('--disk-only and --service-only together leave nothing to check.')
  const { receipt, unchanged: isUnchanged } = await readReceipt(file)
  const { recordings } = receipt
  // A receipt without recordings must not count as a success. If it was edited, continue and report the edit.
  if (isUnchanged && recordings.length === 0)
    throw new NotAReceiptError(`${file} names no recording, so there is nothing to check.`)
  const skipAll = () => recordings.map(() => SKIPPED)
  // Check the service first, because this usually takes only seconds, and unusable settings must fail before `verify`
  // reads terabytes.
  const service = isDiskOnly ? skipAll() : await checkSessions(recordings, input)
  const disk = isServiceOnly ? skipAll() : await checkFiles(recordings, input)
  const entries = recordings.map(
    ({ path, session_id }, index): VerifiedEntry => ({
      path,
      session_id,
      disk: disk[index] ?? SKIPPED,
      service: service[index] ?? SKIPPED,
    }),
  )
  const editedFiles = recordings.flatMap(({ path, sha256 }, index) =>
    sha256 !== null && disk[index] === changedContent ? { path, sha256 } : [],
  )
  const replaced = isUnchanged ? await replaceEditedFiles(journalFolder(input), editedFiles) : 0
  const verdicts = entries.map(verdictOf)
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length
  const counts = { agrees: count('agrees'), differs: count('differs'), unchecked: count('unchecked') }
  if (input.json)
    printJson({
      receipt: { file, station: receipt.station, made_at: receipt.made_at, unchanged: isUnchanged },
      ...counts,
      replaced,
      recordings: entries.map((entry) => ({ verdict: verdictOf(entry), ...entry })),
    })
  else printText(receipt, isUnchanged, entries, counts, replaced)
  if (!isUnchanged || counts.differs > 0) return SOMETHING_DIFFERS
  return counts.unchecked > 0 ? NOT_CHECKED : ALL_AGREE
}

export const verifyCommand = defineCommand({
  name: 'verify',
  group: 'verify',
  summary: 'check a receipt against disk and service, or all local files against the journal',
  about: [
    'Reads each file of the receipt again and fetches each session from the service. Waits if the service requests a delay. Distinguishes a missing file, a changed file, and a drive that is not connected. If a file of this station has different content than its recording, the new content becomes a new recording, which the agent uploads.',
    '--all compares every local file of a processed recording with the journal, to find edits that kept the size and the time of the file. It needs no receipt, settings or key, and reads more slowly while a recorder writes. It works with and without a running agent. Ctrl-C stops the check and shows the results so far.',
  ],
  data: 'own',
  operands: [{ value: { kind: 'file', name: 'RECEIPT' }, summary: 'receipt file (JSON)', required: false }],
  options: {
    all: { summary: 'check every local file of a processed recording, without a receipt' },
    'disk-only': { summary: 'skip the service; needs no settings and no key' },
    'service-only': { summary: 'skip the files' },
    ...settingsOptions,
  },
  json: 'receipt; agrees, differs and unchecked (the number of recordings with each verdict); replaced (the number of recordings that new content replaced); recordings, each with verdict, path, session_id, disk and service. With --all: no receipt and no service, but stopped (true if Ctrl-C stopped the check).',
  exits: {
    0: 'everything matches',
    1: 'something differs, or the receipt was changed',
    2: 'nothing differs, but something could not be checked; or the receipt names no recording; or the command failed: stderr has the reason',
  },
  failureExit: NOT_CHECKED,
  examples: ['sluice verify week-9.json', 'sluice verify week-9.json --disk-only', 'sluice verify --all'],
  run: verify,
})
