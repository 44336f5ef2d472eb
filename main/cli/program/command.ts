import type { CommandInput } from './command-input.ts'

/**
 * One command of the program `sluice`, as data. The parser, the help, the completion and `docs/commands.md` all use it.
 * To add a command, call `defineCommand` in a new file and list it in `commands.ts`.
 */

/** The value of an option or operand. Its kind decides what shell completion offers. */
export type Value =
  | { readonly kind: 'file' | 'folder' | 'text'; readonly name: string }
  | { readonly kind: 'choice'; readonly name: string; readonly of: readonly string[] }

export type Option = {
  /** A flag has no value. */
  readonly value?: Value
  readonly summary: string
}

export type Operand = {
  readonly value: Value
  readonly summary: string
  readonly required: boolean
  /** The user may give several values. Allowed only for the last operand of a command. */
  readonly many?: true
}

export const commandGroups = {
  view: 'Look at the station',
  control: 'Control the station',
  verify: 'Check and prove',
  setup: 'Set up',
  about: 'About this program',
} as const

export type CommandGroup = keyof typeof commandGroups

/**
 * `named`: the user must set `--data` or `SLUICE_DATA`. `own`: if neither is set, the command uses this user's data
 * folder. `none`: the command uses no data folder.
 */
export type DataUse = 'named' | 'own' | 'none'

export type CommandDescription<O extends string = string> = {
  /** The words that the user types: `status`, `sessions list`. */
  readonly name: string
  readonly group: CommandGroup
  /** One line for the overview, without a full stop. */
  readonly summary: string
  /** Paragraphs of the command's help. */
  readonly about: readonly string[]
  readonly data: DataUse
  readonly operands?: readonly Operand[]
  readonly options: Readonly<Record<O, Option>>
  /** Describes the output of `--json`; null if the command does not have this option. */
  readonly json: string | null
  /** The meaning of each exit code. Code 1 has a default text. */
  readonly exits: Readonly<Record<number, string>>
  /** The exit code after an error; 1 by default. Set it if the command uses code 1 for a different result. */
  readonly failureExit?: number
  readonly examples: readonly string[]
}

export type Program = {
  readonly commands: readonly Command[]
  /** The executable and the first arguments that start this program again. */
  readonly launchCommand: readonly string[]
}

export type Command = CommandDescription & {
  /** Returns the exit code. Throws an Error whose message is for users. */
  readonly run: (input: CommandInput, program: Program) => number | Promise<number>
}

/** With this function, TypeScript accepts in `run` only the option names of the command. */
export const defineCommand = <const O extends string>(
  command: CommandDescription<O> & {
    readonly run: (input: CommandInput<O>, program: Program) => number | Promise<number>
  },
): Command => command as unknown as Command

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

/** All options of a command. The common options come last. */
export const optionsOf = (command: CommandDescription): readonly (readonly [string, Option])[] => {
  const { data, json, help } = commonOptions
  return [
    ...Object.entries(command.options),
    ...(command.data === 'none' ? [] : [['data', command.data === 'own' ? data : namedData] as const]),
    ...(command.json === null ? [] : [['json', json] as const]),
    ['help', help],
  ]
}

/** For commands that use the settings of the station. */
export const settingsOptions = {
  settings: {
    value: { kind: 'file', name: 'FILE' },
    summary:
      'the station’s own settings (default: settings.json in its data folder); managed settings apply in either case',
  },
  managed: {
    value: { kind: 'file', name: 'FILE' },
    summary: 'managed settings file (default: the system’s standard location)',
  },
} as const satisfies Readonly<Record<string, Option>>
