import './small-heap.ts'
import './own-process.ts'
import { parseArgs } from 'node:util'
import { redact } from '../../../shared/redact.ts'
import { acceptKey, pause, printStatus, prioritise, resume, retry } from './journal-commands.ts'
import { run } from './run-command.ts'
import { printLine } from './terminal.ts'

const usage = `Usage: npm run -s agent -- COMMAND --data DIR

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

The API key comes from the settings (service.api_key) or from SLUICE_API_KEY.
Exit codes: 0 done, 1 wrong settings or usage, 2 something failed or waits, 3 the journal is damaged
(start again: it is then rebuilt).
`

const parse = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      settings: { type: 'string' },
      data: { type: 'string' },
      'until-idle': { type: 'boolean', default: false },
      patience: { type: 'string', default: '600' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })

const need = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '')
    throw new Error(`${what} is missing. Run with --help to see the usage.`)
  return value
}

const secondsOf = (text: string): number => {
  const seconds = Number(text)
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds < 0)
    throw new Error(`--patience takes a number of seconds, not "${text}".`)
  return seconds
}

const main = async (): Promise<number> => {
  const { values, positionals } = parse()
  const [command, target, ...more] = positionals
  if (values.help || command === undefined) {
    process.stdout.write(usage)
    return command === undefined && !values.help ? 1 : 0
  }
  if (more.length > 0) throw new Error(`"${more[0]}" is one argument too many.`)
  const data = need(values.data, '--data DIR')
  switch (command) {
    case 'run':
      return run({
        data,
        settings: need(values.settings, '--settings FILE'),
        untilIdle: values['until-idle'],
        patienceMs: secondsOf(values.patience) * 1000,
        json: values.json,
      })
    case 'status':
      printStatus(data, values.json)
      return 0
    case 'pause':
      pause(data)
      return 0
    case 'resume':
      resume(data)
      return 0
    case 'retry':
      retry(data, need(target, 'The path of a recording'))
      return 0
    case 'prioritise':
      prioritise(data, need(target, 'The path of a recording'))
      return 0
    case 'accept-key':
      acceptKey(data)
      return 0
    default:
      throw new Error(`There is no command "${command}". Run with --help to see the commands.`)
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  const message = redact(`sluice agent: ${error instanceof Error ? error.message : String(error)}`)
  for (const line of message.split('\n')) printLine(line, process.stderr)
  process.exitCode = 1
}
