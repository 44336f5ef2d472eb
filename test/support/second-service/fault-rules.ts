import type { ListenerName } from './request-log.ts'

/** The effect on a matching request. */
export type Effect =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      /** The number of filler bytes after the body. */
      readonly fillBytes?: number
    }
  /** A §7 error object with the Request-Id of this answer. */
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly type: string
      readonly code: string
      readonly message: string
      readonly param?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The service processes the request, but changes the JSON of a successful answer. Null removes a field. */
  | {
      readonly kind: 'edit'
      readonly session?: object
      readonly upload?: object
      readonly listParts?: number
    }
  /** The service processes the request, but cuts the connection instead of answering. */
  | { readonly kind: 'lose' }
  /** The service neither processes nor answers the request. When the rules change, it cuts the connection. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop-half-way' }
  | { readonly kind: 'trickle' }
  | { readonly kind: 'cut-headers' }
  | { readonly kind: 'large-headers'; readonly bytes: number }

export type FaultRule = {
  readonly on?: ListenerName
  readonly method?: string
  /**
   * `path`, `filename` and each field of `body` are regular expressions. The file name comes from the session or, for a
   * creation, from the body.
   */
  readonly path?: string
  readonly filename?: string
  /** Fields of the request's JSON body. */
  readonly body?: Readonly<Record<string, string>>
  readonly times?: number
  readonly effect: Effect
}

export type MatchableRequest = {
  readonly on: ListenerName
  readonly method: string
  readonly path: string
  readonly filename: string | null
  readonly body: Readonly<Record<string, unknown>>
}

const matches = (pattern: string | undefined, value: string | null): boolean =>
  pattern === undefined || (value !== null && new RegExp(pattern).test(value))

export class FaultRules {
  #rules: { readonly rule: FaultRule; timesLeft: number }[] = []
  readonly #releases = new Set<() => void>()

  replace(rules: readonly FaultRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, timesLeft: rule.times ?? Number.POSITIVE_INFINITY }))
    for (const release of this.#releases) release()
    this.#releases.clear()
  }

  /** Registers a function that ends a hung request when the rules change. */
  hold(release: () => void): void {
    this.#releases.add(release)
  }

  take(subject: MatchableRequest): Effect | null {
    const entry = this.#rules.find(
      ({ rule, timesLeft }) =>
        timesLeft > 0 &&
        (rule.on === undefined || rule.on === subject.on) &&
        (rule.method === undefined || rule.method === subject.method) &&
        matches(rule.path, subject.path) &&
        matches(rule.filename, subject.filename) &&
        Object.entries(rule.body ?? {}).every(([name, pattern]) =>
          matches(pattern, textOf(subject.body[name])),
        ),
    )
    if (entry === undefined) return null
    entry.timesLeft -= 1
    return entry.rule.effect
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null
