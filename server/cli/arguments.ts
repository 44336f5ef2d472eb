import { parseArgs } from 'node:util'
import { StartError } from '../start-error.ts'
import { flagOf, settingNames, switchNames } from './settings.ts'

export type Flags = Readonly<Record<string, string | boolean | undefined>>

const commandFlags = {
  org: 'string',
  name: 'string',
  'max-bytes': 'string',
  'max-sessions': 'string',
  write: 'boolean',
  'dry-run': 'boolean',
} as const

type CommandFlag = keyof typeof commandFlags
type CommandShape = {
  /** Describes the argument in error messages. Undefined: the command takes no argument. */
  readonly argument?: string
  readonly flags?: readonly CommandFlag[]
}

/** Every command by its name. The empty name runs the server. */
const commands = {
  '': {},
  check: {},
  'clean-up': { flags: ['dry-run'] },
  'org create': { argument: 'the name of the organisation' },
  'org list': {},
  'org limit': { argument: 'the ID of the organisation', flags: ['max-bytes', 'max-sessions'] },
  'key create': { flags: ['org', 'write', 'name'] },
  'key list': {},
  'key revoke': { argument: 'the ID of the key' },
  'webhook list': { flags: ['org'] },
  'webhook delete': { argument: 'the ID of the webhook endpoint' },
  audit: { flags: ['org'] },
} as const satisfies Record<string, CommandShape>

type CommandName = keyof typeof commands

export type Command = {
  readonly name: CommandName
  /** Empty if the command takes no argument. */
  readonly argument: string
  readonly flags: Flags
}

const options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>> = {
  ...Object.fromEntries(settingNames.map((name) => [flagOf(name), { type: 'string' as const }])),
  ...Object.fromEntries(Object.entries(commandFlags).map(([flag, type]) => [flag, { type }])),
  settings: { type: 'string' },
  help: { type: 'boolean' },
}

/** Returns `help` for --help. Throws a StartError if the command line is not valid. */
export function parseCommand(args: readonly string[]): Command | 'help' {
  const { flags, words } = parse(joinValues(args))
  if (flags.help === true) return 'help'
  const name = commandOf(words)
  const shape: CommandShape = commands[name]
  const rest = words.slice(name === '' ? 0 : name.split(' ').length)
  const extra = rest[shape.argument === undefined ? 0 : 1]
  if (extra !== undefined)
    throw new StartError(`Unexpected argument: ${extra}. Put a name with spaces in quotation marks.`)
  for (const flag of Object.keys(commandFlags) as CommandFlag[]) {
    if (flags[flag] !== undefined && shape.flags?.includes(flag) !== true)
      throw new StartError(`--${flag} is not an option of ${name === '' ? 'the server' : `"${name}"`}.`)
  }
  return {
    name,
    argument: shape.argument === undefined ? '' : requireText(rest[0], shape.argument),
    flags,
  }
}

export function requireText(value: string | boolean | undefined, what: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new StartError(`This command needs ${what}.`)
  return value
}

const maxNameLength = 200

/**
 * Refuses line breaks and terminal codes, because the commands print names as JSON, which does not escape all of them.
 */
export function requireName(name: string, what: string): string {
  if ([...name].length > maxNameLength)
    throw new StartError(`${what} must have at most ${maxNameLength} characters.`)
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) throw new StartError(`${what} must not have control characters.`)
  return name
}

/** Undefined: the limit stays. Null: no limit. */
export function limitOf(flags: Flags, flag: CommandFlag): number | null | undefined {
  const text = flags[flag]
  if (text === undefined) return undefined
  if (text === 'none') return null
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text))
    throw new StartError(`--${flag} must be a whole number, 0 or more, or "none" for no limit.`)
  return Number(text)
}

function commandOf(words: readonly string[]): CommandName {
  for (const name of [words.slice(0, 2).join(' '), words[0] ?? '']) {
    if (Object.hasOwn(commands, name)) return name as CommandName
  }
  throw new StartError(`Unknown command: ${words.slice(0, 2).join(' ')}; --help lists the commands.`)
}

/**
 * Rewrites `--flag value` as `--flag=value`, and a switch (`switchNames`) without a value as `--switch=true`.
 * `parseArgs` would refuse a switch without a value, and a value such as -1.
 */
function joinValues(args: readonly string[]): string[] {
  const joined: string[] = []
  for (let n = 0; n < args.length; n += 1) {
    const arg = args[n]!
    const next = args[n + 1]
    const flag = /^--([a-z0-9-]+)$/.exec(arg)?.[1] ?? ''
    if (switchNames.has(flag)) {
      const hasValue = next === 'true' || next === 'false'
      joined.push(hasValue ? `${arg}=${next}` : `${arg}=true`)
      if (hasValue) n += 1
    } else if (options[flag]?.type === 'string') {
      if (next === undefined || next.startsWith('--'))
        throw new StartError(`${arg} needs a value; --help lists the options.`)
      joined.push(`${arg}=${next}`)
      n += 1
    } else joined.push(arg)
  }
  return joined
}

function parse(args: string[]): { flags: Flags; words: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
    return { flags: values as Flags, words: positionals }
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\.\s/)
    throw new StartError(`${first.replace(/\.$/, '')}; --help lists the options.`)
  }
}
