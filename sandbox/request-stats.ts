import type { ControlRoute } from '../server/control/control-route.ts'

export type RouteName = ControlRoute | 'put_part' | 'webhook'

export type StatsReport = {
  readonly routes: Readonly<Record<string, number>>
  /** Per session and part number: how many whole bodies arrived, valid or not. Omits bodies that a fault discards. */
  readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Counters since the start. Tests use them to prove that a client sends nothing twice. */
export class RequestStats {
  readonly #routes = new Map<RouteName, number>()
  readonly #parts = new Map<string, Map<number, number>>()

  countRequest(route: RouteName): void {
    this.#routes.set(route, (this.#routes.get(route) ?? 0) + 1)
  }

  countWholePart(sessionId: string, number: number): void {
    const counts = this.#parts.get(sessionId) ?? new Map<number, number>()
    counts.set(number, (counts.get(number) ?? 0) + 1)
    this.#parts.set(sessionId, counts)
  }

  report(): StatsReport {
    const parts = [...this.#parts].map(([id, counts]) => [id, Object.fromEntries(counts)] as const)
    return { routes: Object.fromEntries(this.#routes), parts: Object.fromEntries(parts) }
  }
}
