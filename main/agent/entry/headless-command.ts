import { parseArgs } from 'node:util'
import { showLine } from '../../../shared/escape-text.ts'
import type { RunOptions } from './run-command.ts'

export const usage = `Usage: npm run -s agent -- COMMAND --data DIR

  run --settings FILE    watch, upload and follow until stopped; FILE may be left out where managed
                         settings say enough
      --managed FILE     the administrator's settings, instead of those in the system's own place
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

The API key comes from the settings (service.api_key), from the file they name (service.api_key_file) or
from SLUICE_API_KEY, the first of these that is there.
Exit codes: 0 done, 1 wrong settings or usage, 2 something failed or waits, 3 the journal is damaged
(start again: it is then rebuilt).
`

export type HeadlessCommand =
  | { readonly name: 'help'; readonly asked: boolean }
  | { readonly name: 'run'; readonly options: RunOptions }
  | { readonly name: 'status'; readonly data: string; readonly json: boolean }
  | { readonly name: 'pause' | 'resume' | 'accept-key'; readonly data: string }
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
        patience: { type: 'string', default: '600' },
        json: { type: 'boolean', default: false },
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
    default:
      throw new UsageError(`There is no command "${name}".`)
  }
}
