import type { SandboxAddress, SandboxProcess } from './sandbox-process.ts'
import type { Service } from './service.ts'

export type LaunchedSandbox<S extends SandboxAddress = SandboxAddress> = {
  readonly service: Service
  readonly sandbox: S
}

export type Bench = {
  /** Shared by all rules: small parts allowed, no processing delay, control endpoint open. */
  readonly service: Service
  /** A sandbox for this rule only, closed after the rule. */
  launch(...flags: string[]): Promise<LaunchedSandbox>
  /** Like `launch`, with additional environment variables, and in its own process, which a rule can kill. */
  launchWith(
    env: Readonly<Record<string, string>>,
    ...flags: string[]
  ): Promise<LaunchedSandbox<SandboxProcess>>
  /** An empty folder, removed after the rule. */
  createFolder(): Promise<string>
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
