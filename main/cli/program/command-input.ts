import { typedMomentMs } from '../parse-moment.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** What was typed behind the name of a command. Each question that cannot be answered is a UsageError. */
export class Typed<O extends string = string> {
  readonly data: string
  readonly json: boolean
  readonly operands: readonly string[]
  readonly #command: string
  readonly #values: ReadonlyMap<string, string | true>

  constructor(typed: {
    readonly command: string
    readonly data: string
    readonly operands: readonly string[]
    readonly values: ReadonlyMap<string, string | true>
  }) {
    this.#command = typed.command
    this.#values = typed.values
    this.data = typed.data
    this.operands = typed.operands
    this.json = typed.values.has('json')
  }

  is(name: O): boolean {
    return this.#values.has(name)
  }

  text(name: O): string | null {
    const value = this.#values.get(name)
    return typeof value === 'string' ? value : null
  }

  /** Refuses what was typed: a sentence about it. */
  refuse(sentence: string): UsageError {
    return new UsageError(sentence, this.#command)
  }

  choice<const T extends string>(name: O, of: readonly T[]): T | null {
    const typed = this.text(name)
    if (typed === null) return null
    const found = of.find((each) => each === typed)
    if (found !== undefined) return found
    const meant = nearest(typed, of)
    throw this.refuse(
      `--${name} takes ${of.slice(0, -1).join(', ')} or ${of.at(-1)}, not "${typed}".${meant === null ? '' : ` Did you mean ${meant}?`}`,
    )
  }

  wholeNumber(name: O, most: number): number | null {
    const typed = this.text(name)
    if (typed === null) return null
    const value = /^\d{1,9}$/.test(typed) ? Number(typed) : 0
    if (value < 1 || value > most)
      throw this.refuse(`--${name} takes a whole number from 1 to ${most}, not "${typed}".`)
    return value
  }

  momentMs(name: O & ('since' | 'until')): number | null {
    const typed = this.text(name)
    if (typed === null) return null
    const ms = typedMomentMs(typed, name)
    if (ms === null)
      throw this.refuse(
        `--${name} takes a day such as 2026-03-01, a time such as 2026-03-01T18:00, or 7d for seven days ago, not "${typed}".`,
      )
    return ms
  }
}
