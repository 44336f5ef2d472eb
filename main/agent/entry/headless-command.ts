import { parseArgs } from 'node:util'
import { showLine } from '../../../shared/escape-text.ts'
import { newEndpoint, stationEvents } from '../../../shared/webhooks.ts'
import type { ReceiptScope } from '../journal/journal.ts'
import type { ActivityOptions } from './activity-command.ts'
import type { DoctorOptions } from './doctor-command.ts'
import type { PreviewOptions } from './preview-command.ts'
import type { ReceiptOptions } from './receipt-command.ts'
import type { RunOptions } from './run-command.ts'
import { typedMomentMs } from './typed-moment.ts'
import type { VerifyOptions } from './verify-command.ts'
import type { WebhookOptions } from './webhook-command.ts'

export const usage = `Usage: npm run -s agent -- COMMAND --data DIR

  run --settings FILE    watch, upload and follow until stopped; FILE may be left out where managed
                         settings say enough
      --managed FILE     the administrator's settings, instead of those in the system's own place
      --until-idle       end when nothing is left to do (0: all processed), or at once when all that is
                         left waits for somebody (2)
      --patience SECONDS with --until-idle: how long to wait for what passes by itself (600)
      --json             one JSON object per change on stdout
  status [--json]        what the journal says, also while an agent runs
  activity [--json]      what happened, the newest last: the last 50
      --since TIME       all since then: 2026-03-12, or 2026-03-12T18:00
  pause                  stop uploading; recordings are still collected
  resume                 continue uploading
  retry PATH             try a recording that waits, or has failed, again now
  prioritise PATH        upload this recording before the others
  webhook URL --settings FILE
                         have the service send its events to this URL; prints their secret once
      --events LIST      which ones (session.processed,session.failed)
  accept-key             continue with a key of another organisation than before
  receipt                what the journal can show for its recordings
      --path FILE | --session ID | --since DAY --until DAY
                         which; a day is 2026-03-01 or 2026-03-01T18:00
      --format json|csv  json unless --out ends in .csv
      --out FILE         a new file; standard output unless given
  preview --settings FILE
                         what would be moved or deleted now, by the after_upload of each folder
      --json             the same as JSON
  verify RECEIPT --settings FILE
                         compare a receipt with the disk and the service
      --disk-only, --service-only, --json
                         0: all agrees, 1: something differs, 2: could not be checked
  doctor --settings FILE check this station, and say what to do (0: nothing fails, 1: something does)
      --json             the same as JSON

The API key comes from the settings (service.api_key), from the file they name (service.api_key_file) or
from SLUICE_API_KEY, the first of these that is there. The secrets of
webhooks come from webhooks.json in the data folder and from SLUICE_WEBHOOK_SECRET.
Exit codes: 0 done, 1 wrong settings or usage, 2 something failed or waits, 3 the journal is damaged
(start again: it is then rebuilt).
`

export type HeadlessCommand =
  | { readonly name: 'help'; readonly asked: boolean }
  | { readonly name: 'run'; readonly options: RunOptions }
  | { readonly name: 'status'; readonly data: string; readonly json: boolean }
  | ({ readonly name: 'activity' } & ActivityOptions)
  | { readonly name: 'pause' | 'resume' | 'accept-key'; readonly data: string }
  | { readonly name: 'webhook'; readonly options: WebhookOptions }
  | { readonly name: 'retry' | 'prioritise'; readonly data: string; readonly path: string }
  | { readonly name: 'receipt'; readonly options: ReceiptOptions }
  | { readonly name: 'preview'; readonly options: PreviewOptions }
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
        managed: { type: 'string' },
        data: { type: 'string' },
        'until-idle': { type: 'boolean', default: false },
        events: { type: 'string', default: stationEvents.join() },
        patience: { type: 'string', default: '600' },
        json: { type: 'boolean', default: false },
        since: { type: 'string' },
        path: { type: 'string' },
        session: { type: 'string' },
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

/** Without a file of its own the station has to be managed; whether it is, is seen when it starts. */
const settingsOf = ({ settings, managed }: { settings?: string; managed?: string }) => {
  for (const [name, value] of Object.entries({ settings, managed }))
    if (value === '') throw new UsageError(`--${name} FILE is missing.`)
  return { settings: settings ?? null, managed: managed ?? null }
}

const patienceMsOf = (text: string): number => {
  const patienceMs = Number(text) * 1000
  if (text.trim() === '' || !Number.isFinite(patienceMs) || patienceMs < 0)
    throw new UsageError(`--patience takes a number of seconds, not "${text}".`)
  return patienceMs
}

const endpointOf = (url: string, events: string): WebhookOptions['endpoint'] => {
  const checked = newEndpoint.safeParse({ url, events: events.split(',').map((event) => event.trim()) })
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const what = issue?.path[0] === 'url' ? `"${url}" cannot be registered` : `--events "${events}"`
  throw new UsageError(`${what}: ${issue?.message ?? 'wrong'}.`)
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

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

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
          ...settingsOf(values),
          untilIdle: values['until-idle'],
          patienceMs: patienceMsOf(values.patience),
          json: values.json,
        },
      }
    case 'status':
      noneOf(targets)
      return { name, data: need(values.data, '--data DIR'), json: values.json }
    case 'activity':
      noneOf(targets)
      return {
        name,
        data: need(values.data, '--data DIR'),
        json: values.json,
        since: isoOrNull(momentOf(values.since, 'since')),
      }
    case 'pause':
    case 'resume':
    case 'accept-key':
      noneOf(targets)
      return { name, data: need(values.data, '--data DIR') }
    case 'webhook': {
      const [url, ...more] = targets
      noneOf(more)
      return {
        name,
        options: {
          data: need(values.data, '--data DIR'),
          settings: need(values.settings, '--settings FILE'),
          endpoint: endpointOf(need(url, 'The URL of the endpoint'), values.events),
          json: values.json,
        },
      }
    }
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
    case 'preview':
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
