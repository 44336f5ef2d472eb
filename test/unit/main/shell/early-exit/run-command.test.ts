import { expect, test } from 'vitest'
import { programFor } from '../../../../../main/shell/early-exit/run-command.ts'

test('the command `server` runs the server’s program, and every other command runs the agent’s', () => {
  expect(programFor(['server', '--data', 'server'])).toEqual({
    file: 'server-cli.js',
    args: ['--data', 'server'],
  })
  expect(programFor(['status', 'server'])).toEqual({ file: 'agent-cli.js', args: ['status', 'server'] })
  expect(programFor([])).toEqual({ file: 'agent-cli.js', args: [] })
})
