import { parseArgs } from 'node:util'
import { showLine } from '../../../shared/escape-text.ts'
import { newEndpoint, stationEvents } from '../../../shared/webhooks.ts'
import type { ActivityOptions } from './activity-command.ts'
import type { RunOptions } from './run-command.ts'
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
  resume                 go on
  retry PATH             try a recording that waits, or has failed, again now
  prioritise PATH        upload this recording before the others
  webhook URL --settings FILE
                         have the service send its events to this URL; prints their secret once
      --events LIST      which ones (session.processed,session.failed)
  accept-key             go on with a key of another organisation than before

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

/** In the time of this PC, unless it says another zone. */
const sinceOf = (text: string | undefined): string | null => {
  if (text === undefined) return null
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (Number.isNaN(at.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new UsageError(
      `--since takes a day such as 2026-03-12, or a time such as 2026-03-12T18:00, not "${text}".`,
    )
  return at.toISOString()
}

const noneOf = (more: readonly string[]): void => {
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one argument too many.`)
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
        since: sinceOf(values.since),
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
    default:
      throw new UsageError(`There is no command "${name}".`)
  }
}
