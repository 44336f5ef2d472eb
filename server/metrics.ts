import type { ControlRoute } from './control/control-route.ts'

const help = {
  sluice_server_requests_total: 'Requests by route and status, without part uploads.',
  sluice_server_request_seconds_total: 'Time spent on requests by route, without part uploads.',
  sluice_server_parts_total: 'Part uploads by status.',
  sluice_server_part_bytes_total: 'Bytes of stored parts.',
  sluice_server_prefix_bytes_total: 'Bytes that this instance hashed before their session was completed.',
  sluice_server_completion_bytes_total: 'Bytes that completions read to verify recordings.',
  sluice_server_processed_total: 'Sessions that this instance processed, by result.',
} as const

type Name = keyof typeof help

/** Counters of this instance since its start, in the text format of Prometheus. */
export class Metrics {
  readonly #values = new Map<Name, Map<string, number>>()

  countRequest(route: ControlRoute, status: number | 'aborted', seconds: number): void {
    this.#add('sluice_server_requests_total', `{route="${route}",status="${status}"}`, 1)
    this.#add('sluice_server_request_seconds_total', `{route="${route}"}`, seconds)
  }

  countPart(status: number, bytes: number): void {
    this.#add('sluice_server_parts_total', `{status="${status}"}`, 1)
    this.#add('sluice_server_part_bytes_total', '', bytes)
  }

  countPrefixHashed(bytes: number): void {
    this.#add('sluice_server_prefix_bytes_total', '', bytes)
  }

  countCompletion(bytesRead: number): void {
    this.#add('sluice_server_completion_bytes_total', '', bytesRead)
  }

  countProcessed(result: 'processed' | 'failed'): void {
    this.#add('sluice_server_processed_total', `{result="${result}"}`, 1)
  }

  /** `gauges`: values that the caller has just read, not counters. */
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

  /** Labels need no escaping, because this program sets all their values. */
  #add(name: Name, labels: string, by: number): void {
    let values = this.#values.get(name)
    if (values === undefined) {
      values = new Map()
      this.#values.set(name, values)
    }
    values.set(labels, (values.get(labels) ?? 0) + by)
  }
}
