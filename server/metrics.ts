import type { ControlRoute } from './control/routes.ts'

type Labels = Readonly<Record<string, string | number>>

const help = {
  sluice_server_requests_total: 'Requests to the control API by route and status.',
  sluice_server_request_seconds_total: 'Time spent on requests to the control API by route.',
  sluice_server_parts_total: 'Part uploads by status.',
  sluice_server_part_bytes_total: 'Bytes of stored parts.',
  sluice_server_processed_total: 'Sessions whose processing this instance ended, by result.',
} as const

type Name = keyof typeof help

/** Counters of this instance since its start, in the text format of Prometheus. */
export class Metrics {
  readonly #values = new Map<Name, Map<string, number>>()

  request(route: ControlRoute, status: number | 'aborted', seconds: number): void {
    this.#add('sluice_server_requests_total', { route, status }, 1)
    this.#add('sluice_server_request_seconds_total', { route }, seconds)
  }

  part(status: number, bytes: number): void {
    this.#add('sluice_server_parts_total', { status }, 1)
    this.#add('sluice_server_part_bytes_total', {}, bytes)
  }

  processed(result: 'processed' | 'failed'): void {
    this.#add('sluice_server_processed_total', { result }, 1)
  }

  /** `gauges` are read at the moment of the request. */
  text(gauges: Readonly<Record<string, { readonly help: string; readonly value: number }>>): string {
    const lines: string[] = []
    for (const [name, values] of this.#values) {
      lines.push(`# HELP ${name} ${help[name]}`, `# TYPE ${name} counter`)
      for (const [labels, value] of values) lines.push(`${name}${labels} ${value}`)
    }
    for (const [name, gauge] of Object.entries(gauges))
      lines.push(`# HELP ${name} ${gauge.help}`, `# TYPE ${name} gauge`, `${name} ${gauge.value}`)
    return `${lines.join('\n')}\n`
  }

  /** Labels have few values, all of our own. */
  #add(name: Name, labels: Labels, by: number): void {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    const key = pairs.length === 0 ? '' : `{${pairs.join(',')}}`
    const values = this.#values.get(name) ?? new Map<string, number>()
    values.set(key, (values.get(key) ?? 0) + by)
    this.#values.set(name, values)
  }
}
