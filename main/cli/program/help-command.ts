import { ownVersion } from '../../agent/platform/process/own-version.ts'
import { printJson, printLine } from '../terminal.ts'
import { type Command, defineCommand, optionsOf } from './command.ts'
import { commandText, exitsOf, overviewText, usageOf } from './help-text.ts'
import { didYouMean, inQuotes } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** Finds commands by full name or by their first word. */
const commandsFor = (words: readonly string[], commands: readonly Command[]): readonly Command[] => {
  if (words.length === 0) return commands
  const [first = '', second] = words
  const exact = commands.filter(({ name }) => name === `${first} ${second}` || name === first)
  if (exact.length > 0) return exact
  const subcommands = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (subcommands.length > 0) return subcommands
  const typedName = words.join(' ')
  const names = commands.map(({ name }) => name)
  throw new UsageError(`Unknown command "${typedName}".${didYouMean(typedName, names, inQuotes)}`)
}

const helpJson = (command: Command) => ({
  name: command.name,
  group: command.group,
  summary: command.summary,
  usage: usageOf(command),
  about: command.about,
  operands: (command.operands ?? []).map(({ value, summary, required }) => ({ ...value, summary, required })),
  options: optionsOf(command).map(([name, { value, summary }]) => ({ name, value: value ?? null, summary })),
  exits: Object.fromEntries(exitsOf(command)),
  examples: command.examples,
})

export const printHelp = (
  words: readonly string[],
  commands: readonly Command[],
  wantsJson: boolean,
): void => {
  const matches = commandsFor(words, commands)
  if (wantsJson) printJson({ commands: matches.map(helpJson) })
  else if (words.length === 0) process.stdout.write(overviewText(commands))
  else process.stdout.write(matches.map(commandText).join('\n'))
}

export const helpCommand = defineCommand({
  name: 'help',
  group: 'about',
  summary: 'list the commands, or explain one command',
  about: ['“sluice help sessions” explains all commands that start with “sessions”.'],
  data: 'none',
  operands: [
    { value: { kind: 'text', name: 'COMMAND' }, summary: 'the name of a command', required: false },
    {
      value: { kind: 'text', name: 'PART' },
      summary: 'the second word of the command, as in “sessions list”',
      required: false,
    },
  ],
  options: {},
  json: 'commands: each with name, group, summary, usage, about, operands, options, exits and examples.',
  exits: { 0: 'help was printed' },
  examples: ['sluice help status', 'sluice help --json'],
  run: (input, { commands }) => {
    printHelp(input.operands, commands, input.json)
    return 0
  },
})

export const versionCommand = defineCommand({
  name: 'version',
  group: 'about',
  summary: 'show the version',
  about: ['Same as sluice --version.'],
  data: 'none',
  options: {},
  json: 'version.',
  exits: { 0: 'the version was printed' },
  examples: ['sluice version'],
  run: (input) => {
    const version = ownVersion()
    if (input.json) printJson({ version })
    else printLine(`Sluice ${version ?? 'of an unknown version'}`)
    return 0
  },
})
