import { expect, test } from 'vitest'
import { parseHeadlessCommand } from '../../main/agent/entry/headless-command.ts'

test('a command is what was typed', () => {
  expect(parseHeadlessCommand(['run', '--data', 'd', '--settings=s', '--until-idle', '--json'])).toEqual({
    name: 'run',
    options: { data: 'd', settings: 's', managed: null, untilIdle: true, patienceMs: 600_000, json: true },
  })
  expect(parseHeadlessCommand(['--data=d', 'retry', '--', '--json'])).toEqual({
    name: 'retry',
    data: 'd',
    path: '--json',
  })
  expect(parseHeadlessCommand(['--help', 'run'])).toEqual({ name: 'help', asked: true })
  expect(parseHeadlessCommand([])).toEqual({ name: 'help', asked: false })
})

test.each([
  ['run', 'settings.json'],
  ['status', 'take.bin'],
  ['pause', 'take.bin'],
  ['retry', 'one.bin', 'two.bin'],
])('what belongs to no command is refused, and not left out: %s %s', (...args) => {
  expect(() => parseHeadlessCommand([...args, '--data=d', '--settings=s'])).toThrow(
    `"${args.at(-1)}" is one argument too many.`,
  )
})

test.each(['', ' ', 'soon', '-1', '1e306', '1e309', 'NaN'])('a patience of "%s" is refused', (seconds) => {
  const args = ['run', '--data=d', '--settings=s', `--patience=${seconds}`]
  expect(() => parseHeadlessCommand(args)).toThrow('--patience takes a number of seconds')
})

test.each([
  [['re\u001b[2Jtry', '--data=d'], 'There is no command "re\\u001b[2Jtry".'],
  [['pause', 'a\nsluice agent: done', '--data=d'], '"a\\u000asluice agent: done" is one argument too many.'],
  [['--no\u202esuch'], "Unknown option '--no\\u202esuch'."],
])('a refusal is one line, whatever was typed: %j', (args, sentence) => {
  expect(() => parseHeadlessCommand(args)).toThrow(`${sentence} Run with --help`)
})
