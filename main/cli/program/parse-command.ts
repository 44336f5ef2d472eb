import { parseArgs } from 'node:util'
import { type Command, commonOptions, type Option, optionsOf } from './command.ts'
import { CommandInput } from './command-input.ts'
import { didYouMean, inQuotes } from './nearest.ts'
import { ownDataFolder } from './own-data-folder.ts'
import { UsageError } from './usage-error.ts'

export type Invocation =
  | { readonly kind: 'help'; readonly words: readonly string[]; readonly isRequested: boolean }
  | { readonly kind: 'command'; readonly command: Command; readonly input: CommandInput }

/**
 * The options of all commands. The parser must know which words are values of options before it knows the command. So
 * an option takes a value in all commands or in none.
 */
const allOptions = (commands: readonly Command[]): Readonly<Record<string, Option>> =>
  Object.assign({}, commonOptions, ...commands.map(({ options }) => options))

const splitArgs = (args: readonly string[], knownOptions: Readonly<Record<string, Option>>) => {
  const options = Object.fromEntries(
    Object.entries(knownOptions).map(([name, { value }]) => [
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

/** The command that the first words name. If several match, the one with the longest name. */
const findCommand = (words: readonly string[], commands: readonly Command[]): Command | null =>
  commands
    .filter(({ name }) => name.split(' ').every((part, at) => words[at] === part))
    .toSorted((a, b) => b.name.length - a.name.length)[0] ?? null

const unknownCommandError = (words: readonly string[], commands: readonly Command[]): UsageError => {
  const [first = '', second] = words
  const names = commands.map(({ name }) => name)
  const subcommands = names.filter((name) => name.startsWith(`${first} `))
  if (subcommands.length === 0)
    return new UsageError(`Unknown command "${first}".${didYouMean(first, names, inQuotes)}`)
  const hint = ` Use ${subcommands.join(', ')}.`
  if (second === undefined) return new UsageError(`“${first}” is incomplete.${hint}`)
  const typedName = `${first} ${second}`
  return new UsageError(
    `Unknown command "${typedName}".${didYouMean(typedName, subcommands, inQuotes) || hint}`,
  )
}

type OptionToken = ReturnType<typeof splitArgs>['options'][number]

const optionValue = (token: OptionToken, option: Option, command: Command): string | true => {
  const { name } = token
  if (option.value === undefined) {
    if (token.value === undefined) return true
    throw new UsageError(`--${name} takes no value.`, command.name)
  }
  const usage = `--${name} ${option.value.name}`
  const { value } = token
  if (typeof value !== 'string' || value === '') throw new UsageError(`${usage} is missing.`, command.name)
  if (!token.inlineValue && value.length > 1 && value.startsWith('-'))
    throw new UsageError(
      `${usage} is missing: "${value}" is an option. If you meant it as a value, write --${name}=${value}.`,
      command.name,
    )
  return value
}

const unknownOptionError = (
  raw: string,
  name: string,
  command: Command,
  knownOptions: Readonly<Record<string, Option>>,
) => {
  if (Object.hasOwn(knownOptions, name))
    return new UsageError(`“sluice ${command.name}” takes no --${name}.`, command.name)
  const names = optionsOf(command).map(([each]) => each)
  const hint = didYouMean(name, names, (each) => `--${each}`)
  return new UsageError(`Unknown option ${raw}.${hint}`, command.name)
}

const operandsOf = (words: readonly string[], command: Command): readonly string[] => {
  const operandWords = words.slice(command.name.split(' ').length)
  const { operands = [] } = command
  if (operandWords.length > operands.length && operands.at(-1)?.many !== true)
    throw new UsageError(`Unexpected argument "${operandWords[operands.length]}".`, command.name)
  operands.forEach(({ required, summary }, at) => {
    if (required && !operandWords[at])
      throw new UsageError(`${summary.charAt(0).toUpperCase()}${summary.slice(1)} is missing.`, command.name)
  })
  return operandWords
}

/** Throws a UsageError if the arguments fit no command. */
export const parseCommand = (
  args: readonly string[],
  commands: readonly Command[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Invocation => {
  const knownOptions = allOptions(commands)
  const { words, options } = splitArgs(args, knownOptions)
  const wantsHelp = options.some(
    ({ name, value }) => (name === 'help' || name === 'h') && value === undefined,
  )
  if (wantsHelp) return { kind: 'help', words, isRequested: true }
  if (words.length === 0 && options.some(({ name }) => name === 'version'))
    return parseCommand(['version'], commands, environment)
  const command = findCommand(words, commands)
  if (command === null && words.length > 0) throw unknownCommandError(words, commands)
  const unknown = options.find(({ name }) => !Object.hasOwn(knownOptions, name))
  if (command === null) {
    if (unknown !== undefined) throw new UsageError(`Unknown option ${unknown.rawName}.`)
    return { kind: 'help', words: [], isRequested: false }
  }
  const operands = operandsOf(words, command)
  const ownOptions = new Map(optionsOf(command))
  const values = new Map<string, string | true>()
  for (const token of options) {
    const option = ownOptions.get(token.name)
    if (option === undefined) throw unknownOptionError(token.rawName, token.name, command, knownOptions)
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
