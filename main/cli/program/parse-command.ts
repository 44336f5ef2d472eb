import { parseArgs } from 'node:util'
import { type Command, commonOptions, type Option, optionsOf } from './command.ts'
import { Typed } from './command-input.ts'
import { nearest } from './nearest.ts'
import { ownDataFolder } from './own-data-folder.ts'
import { UsageError } from './usage-error.ts'

export type Invocation =
  | { readonly kind: 'help'; readonly of: readonly string[]; readonly asked: boolean }
  | { readonly kind: 'version' }
  | { readonly kind: 'command'; readonly command: Command; readonly typed: Typed }

/** What takes a value takes one with every command: only then can a name be found behind it. */
const allOptions = (commands: readonly Command[]): Readonly<Record<string, Option>> =>
  Object.assign({}, commonOptions, ...commands.map(({ options }) => options))

const splitOf = (args: readonly string[], known: Readonly<Record<string, Option>>) => {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, version: { type: 'boolean' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  return {
    words: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
    options: tokens.flatMap((token) => (token.kind === 'option' ? [token] : [])),
  }
}

/** The longest name that the words begin with. */
const commandIn = (words: readonly string[], commands: readonly Command[]): Command | null =>
  commands
    .filter(({ name }) => name.split(' ').every((part, at) => words[at] === part))
    .toSorted((a, b) => b.name.length - a.name.length)[0] ?? null

const unknownCommand = (words: readonly string[], commands: readonly Command[]): UsageError => {
  const [first = '', second] = words
  const below = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (below.length > 0) {
    const [typed, meant] = [words.slice(0, 2).join(' '), nearest(`${first} ${second ?? ''}`, below)]
    const hint = second !== undefined && meant !== null ? ` Did you mean “${meant}”?` : ''
    const what = second === undefined ? `“${first}” is incomplete.` : `Unknown command "${typed}".`
    return new UsageError(`${what}${hint === '' ? ` Use ${below.join(', ')}.` : hint}`)
  }
  const meant = nearest(
    first,
    commands.map(({ name }) => name),
  )
  return new UsageError(`Unknown command "${first}".${meant === null ? '' : ` Did you mean “${meant}”?`}`)
}

type OptionToken = ReturnType<typeof splitOf>['options'][number]

const givenValue = (token: OptionToken, option: Option, command: Command): string | true => {
  const { name } = token
  if (option.value === undefined) {
    if (token.value === undefined) return true
    throw new UsageError(`--${name} takes no value.`, command.name)
  }
  const what = `--${name} ${option.value.name}`
  const { value } = token
  if (typeof value !== 'string' || value === '') throw new UsageError(`${what} is missing.`, command.name)
  if (!token.inlineValue && value.length > 1 && value.startsWith('-'))
    throw new UsageError(
      `${what} is missing: "${value}" is an option. If you meant it as a value, write --${name}=${value}.`,
      command.name,
    )
  return value
}

const unknownOption = (
  raw: string,
  name: string,
  command: Command,
  known: Readonly<Record<string, Option>>,
) => {
  if (Object.hasOwn(known, name))
    return new UsageError(`“sluice ${command.name}” takes no --${name}.`, command.name)
  const meant = nearest(
    name,
    optionsOf(command).map(([each]) => each),
  )
  return new UsageError(
    `Unknown option ${raw}.${meant === null ? '' : ` Did you mean --${meant}?`}`,
    command.name,
  )
}

const operandsOf = (words: readonly string[], command: Command): readonly string[] => {
  const typed = words.slice(command.name.split(' ').length)
  const { operands = [] } = command
  if (typed.length > operands.length && operands.at(-1)?.many !== true)
    throw new UsageError(`Unexpected argument "${typed[operands.length]}".`, command.name)
  operands.forEach(({ required, summary }, at) => {
    if (required && !typed[at])
      throw new UsageError(`${summary.charAt(0).toUpperCase()}${summary.slice(1)} is missing.`, command.name)
  })
  return typed
}

/** Throws a UsageError for whatever is no command of this program. */
export const parseCommand = (
  args: readonly string[],
  commands: readonly Command[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Invocation => {
  const known = allOptions(commands)
  const { words, options } = splitOf(args, known)
  const asksHelp = options.some(({ name, value }) => (name === 'help' || name === 'h') && value === undefined)
  if (asksHelp) return { kind: 'help', of: words, asked: true }
  if (words.length === 0 && options.some(({ name }) => name === 'version')) return { kind: 'version' }
  const command = commandIn(words, commands)
  if (command === null && words.length > 0) throw unknownCommand(words, commands)
  const wrong = options.find(({ name }) => !Object.hasOwn(known, name))
  if (command === null) {
    if (wrong !== undefined) throw new UsageError(`Unknown option ${wrong.rawName}.`)
    return { kind: 'help', of: [], asked: false }
  }
  const operands = operandsOf(words, command)
  const taken = new Map(optionsOf(command))
  const values = new Map<string, string | true>()
  for (const token of options) {
    const option = taken.get(token.name)
    if (option === undefined) throw unknownOption(token.rawName, token.name, command, known)
    values.set(token.name, givenValue(token, option, command))
  }
  const typedData = values.get('data')
  const data = typeof typedData === 'string' ? typedData : environment.SLUICE_DATA
  if (command.data === 'named' && !data) throw new UsageError('--data FOLDER is missing.', command.name)
  return {
    kind: 'command',
    command,
    typed: new Typed({
      command: command.name,
      data: data || ownDataFolder(process.platform, environment),
      operands,
      values,
    }),
  }
}
