import { expect, test } from 'vitest'
import type { Command } from '../../../../../main/cli/program/command.ts'
import { commands } from '../../../../../main/cli/program/commands.ts'
import { findNearest } from '../../../../../main/cli/program/nearest.ts'
import { parseCommand } from '../../../../../main/cli/program/parse-command.ts'

const parse = (args: readonly string[], environment: Record<string, string> = {}) =>
  parseCommand(args, commands, environment)

const parseToCommand = (...args: readonly string[]) => {
  const parsed = parse(args)
  if (parsed.kind !== 'command') throw new Error('not a command')
  return parsed
}

const run = async (...args: readonly string[]) => {
  const { command, input } = parseToCommand(...args)
  return command.run(input, { commands, launchCommand: [] })
}

test('finds the command with options before or after its name', () => {
  const { command, input } = parseToCommand('run', '--data', 'd', '--settings=s', '--until-idle', '--json')
  expect(command.name).toBe('run')
  expect([input.data, input.json]).toEqual(['d', true])

  const retry = parseToCommand('--data=d', 'retry', '--', '--json')
  expect(retry.command.name).toBe('retry')
  expect([retry.input.data, retry.input.operands, retry.input.json]).toEqual(['d', ['--json'], false])

  const twoWords = parseToCommand('--data', 'sessions', 'sessions', 'show', 'ses_1')
  expect(twoWords.command.name).toBe('sessions show')
  expect([twoWords.input.data, twoWords.input.operands]).toEqual(['sessions', ['ses_1']])
})

test('`--help`, `-h` or no arguments print help', () => {
  expect(parse(['--help', 'run'])).toEqual({ kind: 'help', words: ['run'], isRequested: true })
  expect(parse(['sessions', '-h'])).toEqual({ kind: 'help', words: ['sessions'], isRequested: true })
  expect(parse([])).toEqual({ kind: 'help', words: [], isRequested: false })
  expect(parseToCommand('--version').command.name).toBe('version')
})

test('the data folder comes from `--data`, else from `SLUICE_DATA`, else it is the data folder of this user’s window', () => {
  const dataOf = (args: readonly string[], environment: Record<string, string>) => {
    const parsed = parse(args, environment)
    return parsed.kind === 'command' ? parsed.input.data : null
  }
  expect(dataOf(['status', '--data=d'], { SLUICE_DATA: 'e' })).toBe('d')
  expect(dataOf(['status'], { SLUICE_DATA: 'e' })).toBe('e')
  expect(dataOf(['status'], { XDG_CONFIG_HOME: '/c', APPDATA: '/c' })).toMatch(/sluice$/)
  expect(dataOf(['run'], { SLUICE_DATA: 'e' })).toBe('e')
  // `run` has no default folder: a second agent must not start on the window's journal by accident.
  expect(() => parse(['run'], {})).toThrow('--data FOLDER is missing.')
})

test.each([
  [['run', 'settings.json', '--data=d'], 'Unexpected argument "settings.json".'],
  [['status', 'take.bin'], 'Unexpected argument "take.bin".'],
  [['retry', 'one.bin', 'two.bin'], 'Unexpected argument "two.bin".'],
  [['retry'], 'The path of a recording or take is missing.'],
  [['sessions', 'show'], 'The ID of a session is missing.'],
  [['status', '--until-idle'], '“sluice status” takes no --until-idle.'],
  [['status', '--wach'], 'Unknown option --wach. Did you mean --watch?'],
  [['status', '--zzzzzz'], 'Unknown option --zzzzzz.'],
  [['status', '--json=yes'], '--json takes no value.'],
  [['status', '--data'], '--data FOLDER is missing.'],
  [['status', '--data='], '--data FOLDER is missing.'],
  [
    ['status', '--data', '--json'],
    '--data FOLDER is missing: "--json" is an option. If you meant it as a value, write --data=--json.',
  ],
  [['statsu'], 'Unknown command "statsu". Did you mean “status”?'],
  [['prioritize', 'a'], 'Unknown command "prioritize". Did you mean “prioritise”?'],
  [['frobnicate'], 'Unknown command "frobnicate".'],
  [['sessions'], '“sessions” is incomplete. Use sessions list, sessions show, sessions delete.'],
  [['sessions', 'lst'], 'Unknown command "sessions lst". Did you mean “sessions list”?'],
])('refuses wrong commands and options, with a suggestion if possible: %j', (args, sentence) => {
  expect(() => parse(args)).toThrow(sentence)
})

test.each([
  [['re\u001b[2Jtry'], 'Unknown command "re\\u001b[2Jtry".'],
  [['pause', 'a\nsluice: done'], 'Unexpected argument "a\\u000asluice: done".'],
  [['pause', '--no\u202esuch'], 'Unknown option --no\\u202esuch.'],
])('a refusal is one line, even if the arguments contain control characters: %j', (args, sentence) => {
  expect(() => parse(args)).toThrow(`${sentence} Type “sluice help`)
})

test.each(['', ' ', 'soon', '-1', '1e306', '1e309', 'NaN'])(
  'refuses `--patience` with the value "%s"',
  async (seconds) => {
    await expect(async () => run('run', '--data=d', `--patience=${seconds}`)).rejects.toThrow(
      seconds === '' ? '--patience SECONDS is missing.' : '--patience takes a number of seconds',
    )
  },
)

test.each([
  [['pause', '--for=soon'], '--for takes a time such as 30m, 2h or 1d, at most 366d, not "soon".'],
  [['pause', '--until=2001-01-01'], '--until is in the past.'],
  [['pause', '--for=1h', '--until=2999-01-01'], 'Give --for or --until, not both.'],
  [['activity', '--since=yesterday'], '--since takes a day such as 2026-03-01'],
  [['receipt'], 'Choose recordings:'],
  [['receipt', '--path=a', '--format=cvs'], '--format takes json or csv, not "cvs". Did you mean csv?'],
  [['receipt', '--since=2026-03-02', '--until=2026-03-01'], '--until is before --since.'],
  [['logs', '--level=warning'], '--level takes info, warn or error, not "warning".'],
  [['logs', '--most=0'], '--most takes a whole number from 1 to 100000, not "0".'],
  [['sessions', 'list', '--status=procesed'], 'not "procesed". Did you mean processed?'],
  [['status', '--watch', '--check'], '--check cannot be combined with --watch.'],
  [['sessions', 'show', '..'], '".." is not a session ID.'],
  [['sessions', 'delete', '../webhook_endpoints', '--yes'], 'is not a session ID.'],
  [['sessions', 'delete', 'ses_1\nses_2', '--yes'], 'ses_1\\u000ases_2" is not a session ID.'],
  [['webhook', 'hooks.example.com'], 'start the URL with https://'],
  [['webhook', 'http://hooks.example.com/'], 'use https://; http:// works only for a URL on this PC'],
  [['webhook', 'https://a:b@hooks.example.com/'], 'leave user name and password out'],
  [['webhook', 'https://hooks.example.com/#a'], 'leave out the part after #'],
  [['webhook', 'https://'], 'this is not a valid URL'],
  [
    ['webhook', 'https://hooks.example.com/', '--events=session.lost'],
    'use session.processed, session.failed',
  ],
  [
    ['webhook', 'https://hooks.example.com/', '--events=session.failed,session.failed'],
    'name each event once',
  ],
])('refuses an impossible value before the command does anything: %j', async (args, words) => {
  await expect(async () => run(...args, '--data=/nowhere')).rejects.toThrow(words)
})

test('each command has a unique name, a short summary, a meaning of exit code 0, and examples that parse', () => {
  const names = commands.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, summary, exits, examples, operands = [] } of commands) {
    expect(summary, name).toMatch(/^[^A-Z].*[^.]$/)
    expect(exits, name).toHaveProperty('0')
    for (const example of examples) {
      const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      )
      expect(words[0]).toBe('sluice')
      const parsed = parse(words.slice(1), { SLUICE_DATA: 'd' })
      expect(parsed.kind === 'command' && parsed.command.name, example).toBe(name)
    }
    const firstOptional = operands.findIndex(({ required }) => !required)
    if (firstOptional !== -1)
      expect(operands.slice(firstOptional).every(({ required }) => !required)).toBe(true)
  }
})

test('an option takes the same kind of value in every command', () => {
  const kinds = new Map<string, string>()
  for (const { name, options } of commands as readonly Command[])
    for (const [option, { value }] of Object.entries(options)) {
      const kind = JSON.stringify(value === undefined ? null : { ...value, name: '' })
      expect(kinds.get(option) ?? kind, `${name} --${option}`).toBe(kind)
      kinds.set(option, kind)
    }
})

test.each([
  ['stauts', 'status'],
  ['st', 'status'],
  ['STATUS', 'status'],
  ['x', null],
  ['', null],
])('the nearest name to %j is %j', (word, expected) => {
  expect(findNearest(word, ['status', 'run', 'verify'])).toBe(expected)
})

test('handles very long input: no suggestion for a command, and a refusal for a URL', async () => {
  expect(findNearest('s'.repeat(10_000), ['status'])).toBeNull()
  const url = `https://hooks.example.com/${'a'.repeat(2_000)}`
  await expect(async () => run('webhook', url, '--data=d')).rejects.toThrow('this is too long for a URL')
})

test('refuses an unknown shell, and suggests a similar one', async () => {
  await expect(async () => run('completion', 'bsh')).rejects.toThrow(
    'Unknown shell "bsh". Did you mean bash?',
  )
})
