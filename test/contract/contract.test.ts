import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, onTestFinished, test } from 'vitest'
import { SandboxProcess as HostedSandbox } from '../support/sandbox-process.ts'
import type { Bench } from './rule.ts'
import { rules } from './rules/all.ts'
import { launch, launchWith } from './sandbox-process.ts'
import { Service } from './service.ts'

let shared: Service

beforeAll(async () => {
  const sandbox = await launch('--min-part-size', '1000', '--processing-delay', '0', '--control')
  shared = new Service(sandbox)
  return () => sandbox.stop()
})

const bench: Bench = {
  get service() {
    return shared
  },
  // In one process with the sandboxes of the other rules: starting one for each took longer than most rules.
  async launch(...flags) {
    const sandbox = await HostedSandbox.startWith(flags)
    onTestFinished(() => sandbox.stop())
    return { service: new Service(sandbox), sandbox }
  },
  async launchWith(env, ...flags) {
    const sandbox = await launchWith(env, ...flags)
    onTestFinished(async () => void (await sandbox.stop()))
    return { service: new Service(sandbox), sandbox }
  },
  async folder() {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-rule-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    return folder
  },
}

describe('the contract', () => {
  for (const rule of rules) {
    test(`${rule.section} ${rule.rule}`, () => rule.run(bench))
  }
})
