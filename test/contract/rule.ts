import type { SandboxAddress, SandboxProcess } from './sandbox-process.ts'
import type { Service } from './service.ts'

export type Launched<S extends SandboxAddress = SandboxAddress> = {
  readonly service: Service
  readonly sandbox: S
}

export type Bench = {
  /** Shared by all rules: small parts allowed, no processing delay, control endpoint open. */
  readonly service: Service
  /** A sandbox for this rule only, closed after the rule. */
  launch(...flags: string[]): Promise<Launched>
  /** Like `launch`, but in its own process, which can be killed, with additional environment variables. */
  launchWith(env: Readonly<Record<string, string>>, ...flags: string[]): Promise<Launched<SandboxProcess>>
  /** An empty folder, removed after the rule. */
  folder(): Promise<string>
}

/** One promise of the contract and its check. */
export type Rule = {
  readonly section: string
  readonly rule: string
  run(bench: Bench): Promise<void>
}

export function section(name: string, rules: Readonly<Record<string, Rule['run']>>): readonly Rule[] {
  return Object.entries(rules).map(([rule, run]) => ({ section: name, rule, run }))
}
