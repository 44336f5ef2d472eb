import { type Command, optionsOf, type Value } from '../command.ts'
import { optionValues, wordsAfter } from './completion-table.ts'

/** Each function returns shell code that offers completions. */
type Offers = {
  readonly value: (value: Value) => string
  readonly words: (kind: 'command' | 'option', words: readonly (readonly [string, string])[]) => string
}

/**
 * The arms of `case` statements, in the syntax that bash and zsh share. They use three variables: `cur` is the word to
 * complete, `typed` has the words before it without options and their values, and `count` is the number of those words.
 */
export const caseArms = (commands: readonly Command[], offer: Offers) => {
  const values = optionValues(commands)
  const commandArm = (command: Command): string => {
    const { name, operands = [] } = command
    const options = optionsOf(command).map(([option, { summary }]) => [`--${option}`, summary] as const)
    const flags = offer.words('option', options)
    const operandArms = operands.map(
      ({ value, many }, at) =>
        `        ${many ? '*' : name.split(' ').length + at}) ${offer.value(value)} ;;`,
    )
    const operand =
      operandArms.length === 0 ? '' : `\n      case $count in\n${operandArms.join('\n')}\n      esac`
    return `    '${name}'|'${name} '*)\n      if [[ $cur == -* ]]; then ${flags}; return; fi${operand} ;;`
  }
  return {
    /** Arms that offer the values of the option before `cur`. */
    values: [...values].map(([name, value]) => `    --${name}) ${offer.value(value)}; return ;;`).join('\n'),
    /** A pattern that matches the options that take a value. */
    optionsWithValue: [...values.keys()].map((name) => `--${name}`).join('|'),
    /** Arms that offer the next word, option or argument of the command in `typed`. */
    typed: [
      ...[...wordsAfter(commands)].map(
        ([after, words]) => `    '${after}') ${offer.words('command', [...words])}; return ;;`,
      ),
      ...commands.map(commandArm),
    ].join('\n'),
  }
}
