import { describe } from 'vitest'
import { SandboxProcess as HostedSandbox } from '../support/sandbox-process.ts'
import { testRules } from './bench.ts'
import { launchWith } from './sandbox-process.ts'

describe('the contract', () => {
  // In one process with the sandboxes of the other rules: starting one for each took longer than most rules.
  testRules({ hosted: (flags) => HostedSandbox.startWith(flags), process: launchWith })
})
