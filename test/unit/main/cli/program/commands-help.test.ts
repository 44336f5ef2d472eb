import { expect, test } from 'vitest'
import { commands } from '../../../../../main/cli/program/commands.ts'
import { ownDataFolder } from '../../../../../main/cli/program/own-data-folder.ts'
import { commandIn, parseCommandLine } from '../../../../../main/shell/system/command-line.ts'
import { sluice } from '../../../../support/typed-command.ts'

test('`help` lists every command within 80 columns', async () => {
  const { code, out } = await sluice('help')
  expect(code).toBe(0)
  for (const { name, summary } of commands) {
    expect(out).toContain(`\n  ${name} `)
    const commandHelp = await sluice('help', ...name.split(' '))
    expect(commandHelp.out).toContain(`sluice ${name}: ${summary}`)
    for (const line of commandHelp.out.split('\n'))
      if (!line.trim().startsWith('sluice ')) expect(line.length, line).toBeLessThanOrEqual(80)
  }
  for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
})

test('prints help for one command, for all commands with the same first word, and as JSON; exits with 1 without arguments', async () => {
  expect((await sluice('status', '--help')).out).toBe((await sluice('help', 'status')).out)
  const { out } = await sluice('help', 'sessions')
  for (const name of ['list', 'show', 'delete']) expect(out).toContain(`Usage: sluice sessions ${name}`)
  const help = JSON.parse((await sluice('help', '--json')).out)
  expect(help.commands.map(({ name }: { name: string }) => name)).toEqual(commands.map(({ name }) => name))
  expect((await sluice()).code).toBe(1)
  const misspelled = await sluice('help', 'statsu')
  expect(misspelled).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('Did you mean “status”?'),
  })
})

test('an error stays on one line even if a file name has a line break', async () => {
  const { code, err } = await sluice('settings', 'check', '/nowhere/a\nsluice: All is well.')
  expect(code).toBe(1)
  expect(err.match(/\n/g)).toHaveLength(1)
  expect(err).toContain('/nowhere/a\\u000asluice: All is well.')
})

test('`--version` and the command `version` print the same text', async () => {
  const { out } = await sluice('--version')
  expect(out).toMatch(/^Sluice \d+\.\d+\.\d+(-rc\.\d+)?\n$/)
  expect((await sluice('version')).out).toBe(out)
  expect(JSON.parse((await sluice('version', '--json')).out)).toEqual({ version: out.trim().slice(7) })
})

test('every completion script names every command and every choice of every argument', async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { code, out } = await sluice('completion', shell)
    expect(code).toBe(0)
    for (const { name, operands = [] } of commands) {
      expect(out, `${shell}: ${name}`).toContain(name.split(' ').at(-1))
      for (const { value } of operands)
        for (const choice of value.kind === 'choice' ? value.of : [])
          expect(out, `${shell}: ${name} ${choice}`).toMatch(new RegExp(`[' ]${choice}[' ]`))
    }
  }
})

test.each([
  ['linux', { XDG_CONFIG_HOME: '/c' }, '/c/sluice'],
  ['linux', {}, '/home/a/.config/sluice'],
  ['darwin', {}, '/home/a/Library/Application Support/sluice'],
  ['win32', { APPDATA: 'C:\\Users\\a\\AppData\\Roaming' }, 'C:\\Users\\a\\AppData\\Roaming\\sluice'],
] as const)('finds the data folder of the window: %s %j', (platform, environment, folder) => {
  expect(ownDataFolder(platform, environment, '/home/a')).toBe(folder)
})

test('the installed Sluice accepts `--no-sandbox` before a command, but not without a command', () => {
  expect(commandIn(['status', '--json'], true)).toEqual(['status', '--json'])
  expect(commandIn(['--no-sandbox', '--no-zygote', '--log-level=3', 'run'], true)).toEqual(['run'])
  expect(commandIn([], true)).toBeNull()
  expect(commandIn(['--data', 'status'], true)).toBeNull()
  expect(commandIn(['--no-sandbox'], true)).toBeNull()
  expect(commandIn(['--inspect', 'status'], true)).toBeNull()
  expect(commandIn(['status'], false)).toBeNull()
  expect(() => parseCommandLine(['--no-sandbox'], true)).toThrow('is not accepted by the installed Sluice')
})
