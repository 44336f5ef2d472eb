import { describe } from 'vitest'
import { SandboxProcess as HostedSandbox } from '../support/sandbox-process.ts'
import { testRules } from './bench.ts'
import { launchWith } from './sandbox-process.ts'

describe('the contract', () => {
  // In one process with those of the other rules: to start one for each took longer than most rules.
  testRules({ hosted: (flags) => HostedSandbox.startWith(flags), process: launchWith })
})
