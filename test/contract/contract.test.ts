import { describe } from 'vitest'
import { SandboxProcess as HostedSandbox } from '../support/sandbox-process.ts'
import { testRules } from './bench.ts'
import { launchWith } from './sandbox-process.ts'

describe('the contract', () => {
  // The sandboxes that `launch` starts share one process, because starting a process takes longer than most rules.
  testRules({ launchForRule: (flags) => HostedSandbox.startWith(flags), launchProcess: launchWith })
})
