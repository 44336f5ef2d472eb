import type { Typed } from './command-input.ts'

/**
 * One command of the program `sluice`, as data: help, completion, docs/commands.md and the parser are made of it. A new
 * one is a file with its `defineCommand` and a line in commands.ts.
 */

/** What stands behind an option or as an operand; completion offers what fits. */
export type Value =
  | { readonly kind: 'file' | 'folder' | 'text'; readonly name: string }
  | { readonly kind: 'choice'; readonly name: string; readonly of: readonly string[] }

export type Option = {
  /** None: it is there or not. */
  readonly value?: Value
  readonly summary: string
}

export type Operand = {
  readonly value: Value
  readonly summary: string
  readonly required: boolean
  /** Only the last one: it may be given several times. */
  readonly many?: true
}

export const commandGroups = {
  look: 'See what is going on',
  act: 'Change what happens',
  prove: 'Check and prove',
  set: 'Set up',
  about: 'About this program',
} as const

export type CommandGroup = keyof typeof commandGroups

/**
 * `named`: --data has to be given. `own`: the folder of this user's Sluice unless it is. `none`: it has no use for one.
 */
export type DataUse = 'named' | 'own' | 'none'

export type CommandDescription<O extends string = string> = {
  /** As it is typed: `status`, `sessions list`. */
  readonly name: string
  readonly group: CommandGroup
  /** One line of the overview, no full stop. */
  readonly summary: string
  /** Paragraphs of its own help. */
  readonly about: readonly string[]
  readonly data: DataUse
  readonly operands?: readonly Operand[]
  readonly options: Readonly<Record<O, Option>>
  /** What --json prints, in a few words; null where there is nothing to print. */
  readonly json: string | null
  /** Besides 1, which is the same everywhere unless it is said here. */
  readonly exits: Readonly<Record<number, string>>
  /** Of a failure before it could do its work; 1 unless this is a finding of it. */
  readonly failureExit?: number
  readonly examples: readonly string[]
}

export type Program = {
  readonly commands: readonly Command[]
  /** Starts this program once more: file and first arguments. */
  readonly again: readonly string[]
}

export type Command = CommandDescription & {
  /** Its exit code. Throws an Error whose message is for people. */
  readonly carryOut: (typed: Typed, program: Program) => number | Promise<number>
}

/** The names of the options are known to its own code; to everything else a command is any command. */
export const defineCommand = <const O extends string>(
  command: CommandDescription<O> & {
    readonly carryOut: (typed: Typed<O>, program: Program) => number | Promise<number>
  },
): Command => command as unknown as Command

/** What every command takes. */
export const commonOptions = {
  data: {
    value: { kind: 'folder', name: 'FOLDER' },
    summary:
      'folder with the journal, settings and logs of the station (default: SLUICE_DATA, or this user’s data folder)',
  },
  json: { summary: 'print one JSON object instead of text' },
  help: { summary: 'explain this command' },
} as const satisfies Readonly<Record<string, Option>>

const namedData: Option = {
  ...commonOptions.data,
  summary: 'folder for the journal, settings and logs of the station (SLUICE_DATA)',
}

/** All that it takes, its own first. */
export const optionsOf = (command: CommandDescription): readonly (readonly [string, Option])[] => {
  const { data, json, help } = commonOptions
  return [
    ...Object.entries(command.options),
    ...(command.data === 'none' ? [] : [['data', command.data === 'own' ? data : namedData] as const]),
    ...(command.json === null ? [] : [['json', json] as const]),
    ['help', help],
  ]
}

/** Where the settings come from, for whatever talks to the service or looks at folders. */
export const settingsOptions = {
  settings: {
    value: { kind: 'file', name: 'FILE' },
    summary: 'settings of the station (default: settings.json in its data folder, and the managed settings)',
  },
  managed: {
    value: { kind: 'file', name: 'FILE' },
    summary: 'managed settings file (default: the system’s own place)',
  },
} as const satisfies Readonly<Record<string, Option>>
