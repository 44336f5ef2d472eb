import { wrapText } from '../terminal.ts'
import {
  type Command,
  type CommandDescription,
  type CommandGroup,
  commandGroups,
  type Option,
  optionsOf,
} from './command.ts'

/** Help texts, generated from the command table. */

const MARGIN = 2

/** Formats two columns. A name that is too long for the first column gets its description on the next line. */
const formatColumns = (rows: readonly (readonly [string, string])[], width: number): readonly string[] =>
  rows.flatMap(([name, words]) => {
    const lines = wrapText(words, MARGIN + width + 2)
    const head = `${' '.repeat(MARGIN)}${name}`
    if (name.length > width) return [head, ...lines]
    const [first = '', ...rest] = lines
    return [`${head.padEnd(MARGIN + width)}  ${first.trimStart()}`, ...rest]
  })

export const optionUsage = (name: string, { value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value.name}`

/** "sluice sessions show ID [OPTIONS]" */
export const usageOf = ({ name, operands = [] }: CommandDescription): string =>
  [
    `sluice ${name}`,
    ...operands.map(({ value, required, many }) => {
      const name = many ? `${value.name}…` : value.name
      return required ? name : `[${name}]`
    }),
    '[OPTIONS]',
  ].join(' ')

/** Adds the default meaning of exit code 1. */
export const exitsOf = ({ exits }: CommandDescription): readonly (readonly [string, string])[] =>
  Object.entries({ 1: 'the command failed; stderr has the reason', ...exits })

const NAMES_WIDTH = 18

export const overviewText = (commands: readonly Command[]): string => {
  const groups = Object.keys(commandGroups) as CommandGroup[]
  const lines = [
    'Sluice uploads the recordings of this PC and shows which recordings are safe.',
    '',
    'Usage: sluice COMMAND [OPTIONS]',
    ...groups.flatMap((group) => [
      '',
      commandGroups[group],
      ...formatColumns(
        commands.filter((each) => each.group === group).map(({ name, summary }) => [name, summary]),
        NAMES_WIDTH,
      ),
    ]),
    '',
    ...wrapText(
      'Every command takes --help. For scripts, nearly all take --json. Most take --data FOLDER to choose a station; the default ' +
        'is this user’s own station. “sluice help COMMAND” explains one command.',
      0,
    ),
  ]
  return `${lines.join('\n')}\n`
}

const OPTIONS_WIDTH = 18

export const commandText = (command: Command): string => {
  const { name, summary, about, operands = [], json, examples } = command
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', title, ...lines]
  const lines = [
    `sluice ${name}: ${summary}`,
    '',
    `Usage: ${usageOf(command)}`,
    ...about.flatMap((paragraph) => ['', ...wrapText(paragraph, 0)]),
    ...section(
      'Arguments',
      formatColumns(
        operands.map((operand) => [operand.value.name, operand.summary]),
        OPTIONS_WIDTH,
      ),
    ),
    ...section(
      'Options',
      formatColumns(
        optionsOf(command).map(([option, details]) => [optionUsage(option, details), details.summary]),
        OPTIONS_WIDTH,
      ),
    ),
    ...(json === null ? [] : section('With --json', wrapText(json, MARGIN))),
    ...section('Exit codes', formatColumns(exitsOf(command), 1)),
    ...section(
      'Examples',
      examples.map((example) => `${' '.repeat(MARGIN)}${example}`),
    ),
  ]
  return `${lines.join('\n')}\n`
}
