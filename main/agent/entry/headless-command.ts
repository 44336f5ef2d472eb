import { parseArgs } from 'node:util'
import { showLine } from '../../../shared/escape-text.ts'
import type { ReceiptScope } from '../journal/journal.ts'
import type { DoctorOptions } from './doctor-command.ts'
import type { ReceiptOptions } from './receipt-command.ts'
import type { RunOptions } from './run-command.ts'
import { typedMomentMs } from './typed-moment.ts'
import type { VerifyOptions } from './verify-command.ts'

export const usage = `Usage: npm run -s agent -- COMMAND --data DIR

  run --settings FILE    watch, upload and follow until stopped
      --until-idle       end when nothing is left to do (0: all processed), or at once when all that is
                         left waits for somebody (2)
      --patience SECONDS with --until-idle: how long to wait for what passes by itself (600)
      --json             one JSON object per change on stdout
  status [--json]        what the journal says, also while an agent runs
  pause                  stop uploading; recordings are still collected
  resume                 go on
  retry PATH             try a recording that waits, or has failed, again now
  prioritise PATH        upload this recording before the others
  accept-key             go on with a key of another organisation than before
  receipt                what the journal can show for its recordings
      --path FILE | --session ID | --since DAY --until DAY
                         which; a day is 2026-03-01 or 2026-03-01T18:00
      --format json|csv  json unless --out ends in .csv
      --out FILE         a new file; standard output unless given
  verify RECEIPT --settings FILE
                         compare a receipt with the disk and the service
      --disk-only, --service-only, --json
                         0: all agrees, 1: something differs, 2: could not be checked
  doctor --settings FILE check this station, and say what to do (0: nothing fails, 1: something does)
      --json             the same as JSON

The API key comes from the settings (service.api_key) or from SLUICE_API_KEY.
Exit codes: 0 done, 1 wrong settings or usage, 2 something failed or waits, 3 the journal is damaged
(start again: it is then rebuilt).
`

export type HeadlessCommand =
  | { readonly name: 'help'; readonly asked: boolean }
  | { readonly name: 'run'; readonly options: RunOptions }
  | { readonly name: 'status'; readonly data: string; readonly json: boolean }
  | { readonly name: 'pause' | 'resume' | 'accept-key'; readonly data: string }
  | { readonly name: 'retry' | 'prioritise'; readonly data: string; readonly path: string }
  | { readonly name: 'receipt'; readonly options: ReceiptOptions }
  | { readonly name: 'verify'; readonly options: VerifyOptions }
  | { readonly name: 'doctor'; readonly options: DoctorOptions }

/** Its message is one line for the terminal: what was typed in it stands escaped. */
export class UsageError extends Error {
  constructor(sentence: string) {
    super(`${showLine(sentence)} Run with --help to see the usage.`)
  }
}

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        settings: { type: 'string' },
        data: { type: 'string' },
        'until-idle': { type: 'boolean', default: false },
        patience: { type: 'string', default: '600' },
        json: { type: 'boolean', default: false },
        path: { type: 'string' },
        session: { type: 'string' },
        since: { type: 'string' },
        until: { type: 'string' },
        format: { type: 'string' },
        out: { type: 'string' },
        'disk-only': { type: 'boolean', default: false },
        'service-only': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(`${String((error as Error).message).split('. ')[0]}.`)
  }
}

const need = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing.`)
  return value
}

const patienceMsOf = (text: string): number => {
  const patienceMs = Number(text) * 1000
  if (text.trim() === '' || !Number.isFinite(patienceMs) || patienceMs < 0)
    throw new UsageError(`--patience takes a number of seconds, not "${text}".`)
  return patienceMs
}

const noneOf = (more: readonly string[]): void => {
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one argument too many.`)
}

type Values = ReturnType<typeof parse>['values']

const momentOf = (text: string | undefined, edge: 'since' | 'until'): number | null => {
  if (text === undefined) return null
  const ms = typedMomentMs(text, edge)
  if (ms === null)
    throw new UsageError(`--${edge} takes a day such as 2026-03-01, or 2026-03-01T18:00, not "${text}".`)
  return ms
}

const scopeOf = ({ path, session, since, until }: Values): ReceiptScope => {
  const asked = [path, session, since ?? until].filter((value) => value !== undefined)
  if (asked.length !== 1)
    throw new UsageError(
      'Say what the receipt is for: --path FILE, --session ID, or --since DAY --until DAY.',
    )
  if (path !== undefined) return { kind: 'path', path: need(path, '--path FILE') }
  if (session !== undefined) return { kind: 'session', session: need(session, '--session ID') }
  const sinceMs = momentOf(since, 'since')
  const untilMs = momentOf(until, 'until')
  if (sinceMs !== null && untilMs !== null && untilMs <= sinceMs)
    throw new UsageError('--until is before --since.')
  return { kind: 'period', sinceMs, untilMs }
}

const formatOf = ({ format, out }: Values): 'json' | 'csv' => {
  if (format === 'json' || format === 'csv') return format
  if (format !== undefined) throw new UsageError(`--format takes json or csv, not "${format}".`)
  return out?.toLowerCase().endsWith('.csv') ? 'csv' : 'json'
}

const sidesOf = (values: Values): VerifyOptions['sides'] => {
  if (values['disk-only'] && values['service-only'])
    throw new UsageError('--disk-only and --service-only leave nothing to check.')
  return values['disk-only'] ? 'disk' : values['service-only'] ? 'service' : 'both'
}

/** Throws a UsageError for whatever is no command of this program. */
export const parseHeadlessCommand = (args: readonly string[]): HeadlessCommand => {
  const { values, positionals } = parse(args)
  const [name, ...targets] = positionals
  if (values.help || name === undefined) return { name: 'help', asked: values.help }
  switch (name) {
    case 'run':
      noneOf(targets)
      return {
        name,
        options: {
          data: need(values.data, '--data DIR'),
          settings: need(values.settings, '--settings FILE'),
          untilIdle: values['until-idle'],
          patienceMs: patienceMsOf(values.patience),
          json: values.json,
        },
      }
    case 'status':
      noneOf(targets)
      return { name, data: need(values.data, '--data DIR'), json: values.json }
    case 'pause':
    case 'resume':
    case 'accept-key':
      noneOf(targets)
      return { name, data: need(values.data, '--data DIR') }
    case 'retry':
    case 'prioritise': {
      const [path, ...more] = targets
      noneOf(more)
      return { name, data: need(values.data, '--data DIR'), path: need(path, 'The path of a recording') }
    }
    case 'receipt':
      noneOf(targets)
      return {
        name,
        options: {
          data: need(values.data, '--data DIR'),
          scope: scopeOf(values),
          format: formatOf(values),
          out: values.out === undefined ? null : need(values.out, '--out FILE'),
        },
      }
    case 'verify': {
      const [receipt, ...more] = targets
      noneOf(more)
      const sides = sidesOf(values)
      return {
        name,
        options: {
          receipt: need(receipt, 'The file of a receipt'),
          sides,
          settings: sides === 'disk' ? null : need(values.settings, '--settings FILE'),
          json: values.json,
        },
      }
    }
    case 'doctor':
      noneOf(targets)
      return {
        name,
        options: {
          data: need(values.data, '--data DIR'),
          settings: need(values.settings, '--settings FILE'),
          json: values.json,
        },
      }
    default:
      throw new UsageError(`There is no command "${name}".`)
  }
}
