import { type Command, optionsOf, type Value } from '../command.ts'

/** The data behind all four completion scripts. Only the syntax differs between shells. */

/**
 * Maps the typed words to the possible next words and their summaries. The key '' has the first words of all commands.
 * A key such as `sessions` has the second words of the commands that start with it.
 */
export const wordsAfter = (
  commands: readonly Command[],
): ReadonlyMap<string, ReadonlyMap<string, string>> => {
  const [firstWords, groups] = [new Map<string, string>(), new Map<string, Map<string, string>>()]
  for (const { name, summary } of commands) {
    const [first = '', second] = name.split(' ')
    if (second === undefined) {
      firstWords.set(first, summary)
      continue
    }
    const group = groups.get(first) ?? new Map<string, string>()
    groups.set(first, group.set(second, summary))
    firstWords.set(first, [...group.keys()].join(', '))
  }
  return new Map([['', firstWords], ...groups])
}

/** Every option that takes a value. An option takes the same kind of value in all commands. */
export const optionValues = (commands: readonly Command[]): ReadonlyMap<string, Value> =>
  new Map(
    commands
      .flatMap(optionsOf)
      .flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value] as const])),
  )

/** Replaces typographic quotes, and removes characters that a shell would interpret. */
export const plainWords = (text: string): string => text.replaceAll(/[’“”]/g, "'").replaceAll(/[`$\\]/g, '')
