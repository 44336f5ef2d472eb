import { describe } from 'vitest'
import { SandboxProcess as HostedSandbox } from '../support/sandbox-process.ts'
import { testRules } from './bench.ts'
import { launchWith } from './sandbox-process.ts'

describe('the contract', () => {
  // All sandboxes share one process, because starting a process took longer than most rules.
  testRules({ hosted: (flags) => HostedSandbox.startWith(flags), process: launchWith })
})
