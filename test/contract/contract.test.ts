import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { renderCoverage } from '../../scripts/docs/contract-coverage-page.ts'
import { SandboxProcess as HostedSandbox } from '../support/sandbox-process.ts'
import type { Bench } from './rule.ts'
import { rules } from './rules/all.ts'
import { launch, launchWith } from './sandbox-process.ts'
import { Service } from './service.ts'

const coverageFile = fileURLToPath(new URL('../../docs/contract-coverage.md', import.meta.url))
const passed = new Set<string>()
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
  // In one process with those of the other rules: to start one for each took longer than most rules.
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
    test(`${rule.section} ${rule.rule}`, async () => {
      await rule.run(bench)
      passed.add(`${rule.section} ${rule.rule}`)
    })
  }

  test('docs/contract-coverage.md says what this run found', async () => {
    const current = renderCoverage(rules, passed)
    if (process.env.UPDATE_CONTRACT_COVERAGE === '1') await writeFile(coverageFile, current)
    expect(await readFile(coverageFile, 'utf8')).toBe(current)
  })
})
