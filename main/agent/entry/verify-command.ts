import { formatBytes, plural } from '../../../shared/format.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import type { Receipt, ReceiptEntry } from '../../../shared/receipt.ts'
import { readReceipt } from '../calls/read-receipt.ts'
import { checkDisk, checkService, type Side, type VerifiedEntry } from '../calls/verify-receipt.ts'
import { systemClock } from '../platform/system-clock.ts'
import { connectService } from '../running/service-connection.ts'
import { readSettings } from './settings-file.ts'
import { printJson, printLine, progressTeller, wrapText } from './terminal.ts'

export type VerifyOptions = {
  readonly receipt: string
  readonly sides: 'both' | 'disk' | 'service'
  /** Needed for the service alone. */
  readonly settings: string | null
  readonly json: boolean
}

const ALL_AGREE = 0
const SOMETHING_DIFFERS = 1
export const NOT_CHECKED = 2

const REQUEST_LIMIT_MS = 20_000
const QUESTIONS_AT_ONCE = 4
const SKIPPED: Side = { verdict: 'skipped' }

const silent = { info: () => {}, warn: () => {}, error: () => {} }

const askDisk = async (entries: readonly ReceiptEntry[]): Promise<Side[]> => {
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  let read = 0
  const progress = progressTeller(
    process.stderr,
    (share) => `Reading again: ${Math.floor(share * 100)} % of ${formatBytes(total)}`,
  )
  const sides: Side[] = []
  // One after the other: a disk that has to jump between two files reads both slower.
  for (const entry of entries)
    sides.push(
      await checkDisk(entry, pathsOf(process.platform), (bytes) => {
        read += bytes
        progress.at(read / total)
      }),
    )
  progress.end()
  return sides
}

/** Once nobody answers, nobody is asked any more: each question would wait as long as the first. */
const askService = async (entries: readonly ReceiptEntry[], settingsFile: string): Promise<Side[]> => {
  const { settings, apiKey } = readSettings(settingsFile, process.env)
  if (apiKey === null) {
    const sentence = 'There is no API key: set service.api_key, or SLUICE_API_KEY.'
    return entries.map(() => ({ verdict: 'unchecked', what: 'no-key', sentence }))
  }
  const client = connectService(
    settings.service,
    apiKey,
    { kind: 'unknown' },
    { clock: systemClock, random: Math.random, log: silent },
  )
  const sides: Side[] = []
  let gaveUp: Side | null = null
  const left = entries.entries()
  const askOn = async () => {
    for (const [index, entry] of left) {
      if (gaveUp !== null) sides[index] = gaveUp
      else {
        const signal = AbortSignal.timeout(REQUEST_LIMIT_MS)
        const { side, unreachable } = await checkService(entry, client, settings.service.base_url, signal)
        sides[index] = side
        if (unreachable) gaveUp = side
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, askOn))
  } finally {
    await client.close()
  }
  return sides
}

type Verdict = 'agrees' | 'differs' | 'unchecked'

/** What differs was seen to, whatever else could not be looked at. */
const verdictOf = ({ disk, service }: VerifiedEntry): Verdict => {
  const both = [disk.verdict, service.verdict]
  if (both.includes('differs')) return 'differs'
  return both.includes('unchecked') ? 'unchecked' : 'agrees'
}

const said = (name: string, side: Side): string[] =>
  side.verdict === 'skipped' ? [] : wrapText(`${name}: ${side.sentence}`, 11)

const printText = (
  receipt: Receipt,
  unchanged: boolean,
  entries: readonly VerifiedEntry[],
  counts: Readonly<Record<Verdict, number>>,
): void => {
  const print = (text: string) => {
    for (const line of wrapText(text, 0)) printLine(line)
  }
  print(`Receipt of ${receipt.station}, written ${receipt.made_at}, ${plural(entries.length, 'recording')}.`)
  print(
    unchanged
      ? 'The receipt is what Sluice wrote: its digest fits.'
      : 'The receipt has been changed: its digest does not fit what it says now.',
  )
  for (const entry of entries) {
    printLine(`${verdictOf(entry).padEnd(9)}  ${entry.path}`)
    for (const line of [...said('Disk', entry.disk), ...said('Service', entry.service)]) printLine(line)
  }
  const rest = [
    ...(counts.differs === 0 ? [] : [`${counts.differs} ${counts.differs === 1 ? 'differs' : 'differ'}`]),
    ...(counts.unchecked === 0 ? [] : [`${counts.unchecked} could not be checked`]),
  ]
  print(
    `${counts.agrees} of ${plural(entries.length, 'recording')} ${counts.agrees === 1 ? 'agrees' : 'agree'}${rest.map((each) => `, ${each}`).join('')}.`,
  )
}

/** Throws for what is no receipt, or for settings that cannot be used: nothing was checked then. */
export const verify = async (options: VerifyOptions): Promise<number> => {
  const { receipt, unchanged } = await readReceipt(options.receipt)
  const { recordings } = receipt
  const skipped = () => recordings.map(() => SKIPPED)
  // The service first: it needs seconds, and bad settings are told before terabytes are read.
  const service =
    options.sides === 'disk' || options.settings === null
      ? skipped()
      : await askService(recordings, options.settings)
  const disk = options.sides === 'service' ? skipped() : await askDisk(recordings)
  const entries = recordings.map(
    ({ path, session_id }, index): VerifiedEntry => ({
      path,
      session_id,
      disk: disk[index] ?? SKIPPED,
      service: service[index] ?? SKIPPED,
    }),
  )
  const verdicts = entries.map(verdictOf)
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length
  const counts = { agrees: count('agrees'), differs: count('differs'), unchecked: count('unchecked') }
  if (options.json)
    printJson({
      receipt: { file: options.receipt, station: receipt.station, made_at: receipt.made_at, unchanged },
      ...counts,
      recordings: entries.map((entry) => ({ verdict: verdictOf(entry), ...entry })),
    })
  else printText(receipt, unchanged, entries, counts)
  if (!unchanged || counts.differs > 0) return SOMETHING_DIFFERS
  return counts.unchecked > 0 ? NOT_CHECKED : ALL_AGREE
}
