import { expect, test } from 'vitest'
import { limitOf, parseCommand, requireName } from '../../../../server/cli/arguments.ts'
import { readSettings } from '../../../../server/cli/settings.ts'

const parse = (...args: string[]) => {
  const command = parseCommand(args)
  if (command === 'help') throw new Error('not a command')
  return command
}

test.each([
  [['fly'], 'Unknown command: fly;'],
  [['constructor'], 'Unknown command: constructor;'],
  [['org'], 'Unknown command: org;'],
  [['org', 'create', 'A', 'B'], 'Unexpected argument: B.'],
  [['org', 'list', 'extra'], 'Unexpected argument: extra.'],
  [['check', 'extra'], 'Unexpected argument: extra.'],
  [['key', 'create', 'hall 1', '--org', 'org_1'], 'Unexpected argument: hall 1.'],
  [['org', 'list', '--write'], '--write is not an option of "org list".'],
  [['--org', 'org_1'], '--org is not an option of the server.'],
  [['org', 'create'], 'This command needs the name of the organisation.'],
  [['org', 'create', ' '], 'This command needs the name of the organisation.'],
  [['--port'], '--port needs a value;'],
  [['--port', '--host', 'x'], '--port needs a value;'],
  [['--fly'], "Unknown option '--fly'"],
])('the server refuses the arguments %j', (args, message) => {
  expect(() => parseCommand(args)).toThrow(message)
})

test('a switch needs no value, and a command after it is not its value', () => {
  expect(parse('--direct-parts', 'check')).toMatchObject({ name: 'check', flags: { 'direct-parts': 'true' } })
  expect(parse('check', '--private-webhooks').flags).toMatchObject({ 'private-webhooks': 'true' })
  expect(parse('--direct-parts', 'false', 'check')).toMatchObject({
    name: 'check',
    flags: { 'direct-parts': 'false' },
  })
})

test.each(['99999', '-1', '', '80.5', 'x'])(
  'the port %j is refused, and the message names the range',
  (port) => {
    const flags = { data: 'folder', port: parse('--port', port).flags.port }
    expect(() => readSettings({ flags, env: {}, file: undefined })).toThrow(
      '--port: must be a whole number from 0 to 65535.',
    )
  },
)

test('a limit is a number, "none" or unchanged', () => {
  const limit = (...flags: string[]) => limitOf(parse('org', 'limit', 'org_1', ...flags).flags, 'max-bytes')
  expect([limit(), limit('--max-bytes', '0'), limit('--max-bytes', 'none')]).toEqual([undefined, 0, null])
  for (const text of ['-1', '1.5', 'x', ''])
    expect(() => limit('--max-bytes', text)).toThrow('--max-bytes must be a whole number, 0 or more')
})

test('a name has at most 200 characters, and no control characters', () => {
  expect(requireName(`${'🤖'.repeat(199)}é`, '--name')).toHaveLength(399)
  expect(() => requireName('x'.repeat(201), '--name')).toThrow('--name must have at most 200 characters.')
  for (const name of ['a\nb', 'a\u001b[2J', 'a\u0000', 'a\u2028'])
    expect(() => requireName(name, '--name')).toThrow('--name must not have control characters.')
})
