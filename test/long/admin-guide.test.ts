import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linuxPaths, windowsPaths } from '../../shared/paths/paths.ts'
import { parseManagedSettings } from '../../shared/settings/parse-settings.ts'
import { commandNames, guideBlocks } from '../support/guide/guide-blocks.ts'
import { ScratchStation } from '../support/guide/scratch-station.ts'
import { needs, posix, program, root } from '../support/needs.ts'

const docs = path.join(import.meta.dirname, '../../docs')
const guide = readFileSync(path.join(docs, 'admin-guide.md'), 'utf8')
const blocks = guideBlocks(guide)
const inLanguage = (language: string) => blocks.filter((block) => block.language === language)

let station: ScratchStation
let help = ''
beforeAll(async () => {
  station = await ScratchStation.open()
  help = (await station.run('sluice --help')).output
})
afterAll(() => station.close())

test(
  'the shell commands of the admin guide, run in the order of the guide, have the described exit codes',
  needs(posix),
  async () => {
    const failures: string[] = []
    const outputs = new Map<number, string>()
    for (const { line, text, exitCode } of inLanguage('sh')) {
      const { code, output } = await station.run(text)
      outputs.set(line, output)
      if (code !== exitCode) failures.push(`line ${line} ended with ${code}:\n${output}`)
    }
    expect(failures).toEqual([])
    expect([...outputs.values()].join('\n')).toMatch(/Safe {2,}\S*short\.mcap/)
  },
)

const SERVICE_USER = 65534

test(
  'with monitoring in the settings, root can run the commands of the admin guide, and a service user still owns the data',
  needs(root),
  async () => {
    const other = await ScratchStation.open()
    try {
      const failures: string[] = []
      const run = async (text: string, exitCode: number, line: number) => {
        const { code, output } = await other.run(text)
        if (code !== exitCode) failures.push(`line ${line} ended with ${code}:\n${output}`)
        return output
      }
      const commands = inLanguage('sh')
      const doctorIndex = commands.findIndex(({ text }) => text.includes('sluice doctor'))
      for (const { line, text, exitCode } of commands.slice(0, doctorIndex + 1))
        await run(text, exitCode, line)
      other.giveToService(SERVICE_USER)
      const check = commands.find(({ text }) => text.includes('settings check'))
      await run(check?.text ?? '', 0, check?.line ?? 0)
      const doctor = 'sluice doctor --settings /etc/sluice/settings.json --data /var/lib/sluice'
      expect(await run(doctor, 0, 0)).toContain('the account of the agent')
      for (const { line, text, exitCode } of commands.slice(doctorIndex + 1)) await run(text, exitCode, line)
      expect(failures).toEqual([])
      expect(other.filesNotOwnedBy(SERVICE_USER)).toEqual([])
    } finally {
      await other.close()
    }
  },
)

test('settings in the admin guide are valid managed settings', () => {
  const examples = inLanguage('json')
  expect(examples.length).toBeGreaterThan(2)
  for (const { text, line } of examples)
    expect(
      parseManagedSettings(Buffer.from(text), text.includes('C:\\\\') ? windowsPaths : linuxPaths),
      `line ${line}`,
    ).toMatchObject({ settings: expect.anything(), faults: [] })
})

test('console and PowerShell commands of the admin guide name only the current version of Sluice', () => {
  const { version } = JSON.parse(readFileSync(path.join(docs, '../package.json'), 'utf8')) as {
    version: string
  }
  const otherVersions = [...inLanguage('console'), ...inLanguage('powershell')]
    .flatMap(({ text }) => text.match(/\d+\.\d+\.\d+/g) ?? [])
    .filter((number) => number !== version.split('-')[0])
  expect(otherVersions).toEqual([])
})

test('systemd accepts the unit file of the admin guide', needs(program('systemd-analyze')), () => {
  const [unit] = inLanguage('ini')
  const file = path.join(station.root, 'sluice.service')
  writeFileSync(file, station.mapText(unit?.text ?? ''))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('every command that the admin guide names exists', () => {
  const inline = [...guide.matchAll(/`(sluice [^`]+)`/g)].map(([, code = '']) => code)
  const names = [...inline, ...blocks.map(({ text }) => text)].flatMap(commandNames)
  expect(names.filter((name) => !help.includes(`  ${name}`))).toEqual([])
  // A block in an unknown language would not be tested.
  const languages = new Set(blocks.map(({ language }) => language))
  expect([...languages].toSorted()).toEqual(['console', 'ini', 'json', 'powershell', 'sh', 'ts'])
})
