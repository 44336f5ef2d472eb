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

test('an endpoint is asked for with the events that move a station, or with others', () => {
  const url = 'https://hooks.example.com/webhooks'
  const args = ['webhook', url, '--data=d', '--settings=s']
  expect(parseHeadlessCommand(args)).toEqual({
    name: 'webhook',
    options: {
      data: 'd',
      settings: 's',
      json: false,
      endpoint: { url, events: ['session.processed', 'session.failed'] },
    },
  })
  expect(parseHeadlessCommand([...args, '--events=export.failed, session.failed'])).toMatchObject({
    options: { endpoint: { events: ['export.failed', 'session.failed'] } },
  })
})

test.each([
  [['hooks.example.com'], 'start the URL with https://'],
  [['http://hooks.example.com/'], 'use https:// (http:// is accepted only for a URL on this PC)'],
  [['https://a:b@hooks.example.com/'], 'leave user name and password out'],
  [['https://hooks.example.com/#a'], 'leave out what stands behind #'],
  [['https://'], 'this is not a valid URL'],
  [[`https://hooks.example.com/${'a'.repeat(2_000)}`], 'this is too long for a URL'],
  [['https://hooks.example.com/', '--events=session.lost'], 'use session.processed, session.failed, export'],
  [['https://hooks.example.com/', '--events=session.failed,session.failed'], 'name each event once'],
  [['https://hooks.example.com/', '--events='], 'use session.processed'],
  [[], 'The URL of the endpoint is missing.'],
])('an endpoint that cannot be registered is refused with a sentence: %j', (args, words) => {
  expect(() => parseHeadlessCommand(['webhook', ...args, '--data=d', '--settings=s'])).toThrow(words)
})
