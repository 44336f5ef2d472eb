import type { SandboxAddress, SandboxProcess } from './sandbox-process.ts'
import type { Service } from './service.ts'

export type Launched<S extends SandboxAddress = SandboxAddress> = {
  readonly service: Service
  readonly sandbox: S
}

export type Bench = {
  /** Shared by all rules: small parts allowed, no processing delay, control endpoint open. */
  readonly service: Service
  /** A sandbox of this rule's own, ended with the rule. */
  launch(...flags: string[]): Promise<Launched>
  /** The same as a process of its own, which can be killed, with more in its environment. */
  launchWith(env: Readonly<Record<string, string>>, ...flags: string[]): Promise<Launched<SandboxProcess>>
  /** An empty folder, removed with the rule. */
  folder(): Promise<string>
}

/** One promise of the contract and how it is kept to. */
export type Rule = {
  readonly section: string
  readonly rule: string
  run(bench: Bench): Promise<void>
}

export function section(name: string, rules: Readonly<Record<string, Rule['run']>>): readonly Rule[] {
  return Object.entries(rules).map(([rule, run]) => ({ section: name, rule, run }))
}
