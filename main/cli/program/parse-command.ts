import { parseArgs } from 'node:util'
import { type Command, commonOptions, type Option, optionsOf } from './command.ts'
import { CommandInput } from './command-input.ts'
import { didYouMean, inQuotes } from './nearest.ts'
import { ownDataFolder } from './own-data-folder.ts'
import { UsageError } from './usage-error.ts'

export type Invocation =
  | { readonly kind: 'help'; readonly of: readonly string[]; readonly isRequested: boolean }
  | { readonly kind: 'command'; readonly command: Command; readonly input: CommandInput }

/** An option takes a value in all commands or in none. Otherwise the parser could not find the command's name. */
const allOptions = (commands: readonly Command[]): Readonly<Record<string, Option>> =>
  Object.assign({}, commonOptions, ...commands.map(({ options }) => options))

const splitArgs = (args: readonly string[], known: Readonly<Record<string, Option>>) => {
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

/** The command with the longest name that the words start with. */
const findCommand = (words: readonly string[], commands: readonly Command[]): Command | null =>
  commands
    .filter(({ name }) => name.split(' ').every((part, at) => words[at] === part))
    .toSorted((a, b) => b.name.length - a.name.length)[0] ?? null

const unknownCommand = (words: readonly string[], commands: readonly Command[]): UsageError => {
  const [first = '', second] = words
  const names = commands.map(({ name }) => name)
  const below = names.filter((name) => name.startsWith(`${first} `))
  if (below.length === 0)
    return new UsageError(`Unknown command "${first}".${didYouMean(first, names, inQuotes)}`)
  const use = ` Use ${below.join(', ')}.`
  if (second === undefined) return new UsageError(`“${first}” is incomplete.${use}`)
  const typed = `${first} ${second}`
  return new UsageError(`Unknown command "${typed}".${didYouMean(typed, below, inQuotes) || use}`)
}

type OptionToken = ReturnType<typeof splitArgs>['options'][number]

const optionValue = (token: OptionToken, option: Option, command: Command): string | true => {
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
  const names = optionsOf(command).map(([each]) => each)
  const hint = didYouMean(name, names, (each) => `--${each}`)
  return new UsageError(`Unknown option ${raw}.${hint}`, command.name)
}

const operandsOf = (words: readonly string[], command: Command): readonly string[] => {
  const given = words.slice(command.name.split(' ').length)
  const { operands = [] } = command
  if (given.length > operands.length && operands.at(-1)?.many !== true)
    throw new UsageError(`Unexpected argument "${given[operands.length]}".`, command.name)
  operands.forEach(({ required, summary }, at) => {
    if (required && !given[at])
      throw new UsageError(`${summary.charAt(0).toUpperCase()}${summary.slice(1)} is missing.`, command.name)
  })
  return given
}

/** Throws a UsageError if the arguments fit no command. */
export const parseCommand = (
  args: readonly string[],
  commands: readonly Command[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Invocation => {
  const known = allOptions(commands)
  const { words, options } = splitArgs(args, known)
  const wantsHelp = options.some(
    ({ name, value }) => (name === 'help' || name === 'h') && value === undefined,
  )
  if (wantsHelp) return { kind: 'help', of: words, isRequested: true }
  if (words.length === 0 && options.some(({ name }) => name === 'version'))
    return parseCommand(['version'], commands, environment)
  const command = findCommand(words, commands)
  if (command === null && words.length > 0) throw unknownCommand(words, commands)
  const wrong = options.find(({ name }) => !Object.hasOwn(known, name))
  if (command === null) {
    if (wrong !== undefined) throw new UsageError(`Unknown option ${wrong.rawName}.`)
    return { kind: 'help', of: [], isRequested: false }
  }
  const operands = operandsOf(words, command)
  const taken = new Map(optionsOf(command))
  const values = new Map<string, string | true>()
  for (const token of options) {
    const option = taken.get(token.name)
    if (option === undefined) throw unknownOption(token.rawName, token.name, command, known)
    values.set(token.name, optionValue(token, option, command))
  }
  const dataOption = values.get('data')
  const data = typeof dataOption === 'string' ? dataOption : environment.SLUICE_DATA
  if (command.data === 'named' && !data) throw new UsageError('--data FOLDER is missing.', command.name)
  return {
    kind: 'command',
    command,
    input: new CommandInput({
      command: command.name,
      data: data || ownDataFolder(process.platform, environment),
      operands,
      values,
    }),
  }
}
