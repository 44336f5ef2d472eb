// Writes docs/contract-coverage.md anew from a run of the contract suite.
import { spawnSync } from 'node:child_process'

const vitest = 'node_modules/vitest/vitest.mjs'
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'contract', 'test/contract/contract.test.ts'],
  { stdio: 'inherit', env: { ...process.env, UPDATE_CONTRACT_COVERAGE: '1' } },
)
process.exit(status ?? 1)
