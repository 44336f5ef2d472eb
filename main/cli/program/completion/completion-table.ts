import { type Command, type Option, optionsOf, type Value } from '../command.ts'

/** The data behind all four completion scripts. Only the syntax differs between shells. */
export type CompletionTable = {
  /** Which word may follow `after`: names of commands, or their first words. */
  readonly words: readonly {
    readonly after: string
    readonly word: string
    readonly summary: string
  }[]
  readonly commands: readonly {
    readonly name: string
    readonly options: readonly (readonly [string, Option])[]
    readonly operands: readonly Value[]
    /** The last operand may be given several times. */
    readonly hasMany: boolean
  }[]
  /** Every option that takes a value. A name means the same in all commands. */
  readonly values: ReadonlyMap<string, Value>
}

export const completionTable = (commands: readonly Command[]): CompletionTable => {
  const words = commands.flatMap(({ name, summary }) => {
    const parts = name.split(' ')
    return parts.map((word, at) => ({
      after: parts.slice(0, at).join(' '),
      word,
      summary:
        at === parts.length - 1
          ? summary
          : `${commands
              .filter((each) => each.name.startsWith(`${word} `))
              .map((each) => each.name.slice(word.length + 1))
              .join(', ')}`,
    }))
  })
  const isFirst = ({ after, word }: (typeof words)[number], at: number) =>
    words.findIndex((each) => each.after === after && each.word === word) === at
  const described = commands.map((command) => ({
    name: command.name,
    options: optionsOf(command),
    operands: (command.operands ?? []).map(({ value }) => value),
    hasMany: command.operands?.at(-1)?.many === true,
  }))
  const values = new Map(
    described.flatMap(({ options }) =>
      options.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value] as const])),
    ),
  )
  return { words: words.filter(isFirst), commands: described, values }
}

/** First words that are not whole commands. */
export const groupWords = ({ words }: CompletionTable): readonly string[] =>
  [...new Set(words.map(({ after }) => after))].filter((after) => after !== '')

/** Removes characters that a shell would interpret. */
export const plainWords = (text: string): string => text.replaceAll(/[’“”]/g, "'").replaceAll(/[`$\\]/g, '')
