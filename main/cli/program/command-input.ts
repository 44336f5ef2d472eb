import { parseMomentMs } from '../parse-moment.ts'
import { didYouMean } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** Arguments of one command. The getters throw a UsageError for an invalid value. */
export class CommandInput<O extends string = string> {
  readonly data: string
  readonly json: boolean
  readonly operands: readonly string[]
  readonly #command: string
  readonly #values: ReadonlyMap<string, string | true>

  constructor(parts: {
    readonly command: string
    readonly data: string
    readonly operands: readonly string[]
    readonly values: ReadonlyMap<string, string | true>
  }) {
    this.#command = parts.command
    this.#values = parts.values
    this.data = parts.data
    this.operands = parts.operands
    this.json = parts.values.has('json')
  }

  has(name: O): boolean {
    return this.#values.has(name)
  }

  text(name: O): string | null {
    const value = this.#values.get(name)
    return typeof value === 'string' ? value : null
  }

  /** Returns the error for the caller to throw. */
  refuse(sentence: string): UsageError {
    return new UsageError(sentence, this.#command)
  }

  choice<const T extends string>(name: O, choices: readonly T[]): T | null {
    const text = this.text(name)
    if (text === null) return null
    const choice = choices.find((each) => each === text)
    if (choice !== undefined) return choice
    const list = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
    throw this.refuse(`--${name} takes ${list}, not "${text}".${didYouMean(text, choices)}`)
  }

  wholeNumber(name: O, max: number): number | null {
    const text = this.text(name)
    if (text === null) return null
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (value < 1 || value > max)
      throw this.refuse(`--${name} takes a whole number from 1 to ${max}, not "${text}".`)
    return value
  }

  momentMs(name: O & ('since' | 'until')): number | null {
    const text = this.text(name)
    if (text === null) return null
    const ms = parseMomentMs(text, name)
    if (ms === null)
      throw this.refuse(
        `--${name} takes a day such as 2026-03-01, a time such as 2026-03-01T18:00, or 7d for seven days ago, not "${text}".`,
      )
    return ms
  }
}
