import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, onTestFinished, test } from 'vitest'
import type { Bench } from './rule.ts'
import { rules } from './rules/all.ts'
import type { SandboxAddress, SandboxProcess } from './sandbox-process.ts'
import { Service } from './service.ts'

type StoppableSandbox = SandboxAddress & { stop(): Promise<unknown> }

export type Launchers = {
  /** Launches a sandbox for one rule, in its own process or in a process with other sandboxes. */
  launchForRule(flags: readonly string[]): Promise<StoppableSandbox>
  launchProcess(env: Readonly<Record<string, string>>, ...flags: string[]): Promise<SandboxProcess>
}

/** Creates one test for each rule of the contract. Every storage back end runs the same rules. */
export const testRules = ({ launchForRule, launchProcess }: Launchers): void => {
  let shared: Service
  beforeAll(async () => {
    const sandbox = await launchProcess({}, '--min-part-size', '1000', '--processing-delay', '0', '--control')
    shared = new Service(sandbox)
    return () => sandbox.stop()
  })
  const bench: Bench = {
    get service() {
      return shared
    },
    async launch(...flags) {
      const sandbox = await launchForRule(flags)
      onTestFinished(async () => void (await sandbox.stop()))
      return { service: new Service(sandbox), sandbox }
    },
    async launchWith(env, ...flags) {
      const sandbox = await launchProcess(env, ...flags)
      onTestFinished(async () => void (await sandbox.stop()))
      return { service: new Service(sandbox), sandbox }
    },
    async createFolder() {
      const folder = await mkdtemp(join(tmpdir(), 'sandbox-rule-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
      return folder
    },
  }
  for (const rule of rules) test(`${rule.section} ${rule.rule}`, () => rule.run(bench))
}
