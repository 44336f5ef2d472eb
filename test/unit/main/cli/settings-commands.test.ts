import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readOwnSettings } from '../../../../main/cli/settings-file.ts'
import { needs, posix } from '../../../support/needs.ts'
import { sluice } from '../../../support/typed-command.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-settings-check-'))
  file = path.join(folder, 'settings.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const serviceSetting = '"service": { "base_url": "https://api.example.com" }'
const write = (text: string, mode = 0o600) => {
  writeFileSync(file, text)
  chmodSync(file, mode)
}
type Fault = { readonly line: number | null; readonly column: number | null; readonly sentence: string }
type Report = { readonly usable: boolean; readonly faults: Fault[] }
const check = async (...flags: readonly string[]): Promise<Report> =>
  JSON.parse((await sluice('settings', 'check', ...flags, file, '--json')).out)

/** Each row: the name of the mistake, the lines of the file, the line number of the mistake, the expected sentence. */
const faults: readonly (readonly [name: string, lines: readonly string[], line: number, sentence: string])[] =
  [
    [
      'a wrong type',
      [
        '{',
        `${serviceSetting},`,
        '"folders": [{ "path": "/rec", "site": "a" },',
        '  { "path": "/b", "site": 7 }] }',
      ],
      4,
      'folders[1].site: Write text, in quotes.',
    ],
    [
      'a duplicate key',
      ['{', `${serviceSetting},`, '"transfer": { "parallel_parts": 2,', '"parallel_parts": 3 } }'],
      4,
      'transfer.parallel_parts: This setting appears twice.',
    ],
    [
      'a relative key file',
      ['{ "service": { "base_url": "https://api.example.com",', '"api_key_file": "key" } }'],
      2,
      'service.api_key_file: Give the full path',
    ],
    [
      'metrics on every network address without a token',
      ['{', `${serviceSetting},`, '"monitoring": {', '"metrics": { "address": "0.0.0.0", "port": 9464 } } }'],
      4,
      'monitoring.metrics: Sluice serves no metrics: 0.0.0.0 needs a token of at least 16 characters',
    ],
    [
      'a short token',
      ['{', `${serviceSetting},`, '"monitoring": { "metrics": { "port": 9464,', '"token": "short" } } }'],
      4,
      'monitoring.metrics.token: Use at least 16 characters.',
    ],
    [
      'an unknown field',
      ['{', `${serviceSetting},`, '"folders": [],', '"transfers": {} }'],
      4,
      'settings: Unknown setting “transfers”.',
    ],
    [
      'an unknown placeholder',
      [
        '{',
        `${serviceSetting},`,
        `"folders": [{ "path": ${JSON.stringify(path.resolve('/rec'))},`,
        '"site": "{nobody}" }] }',
      ],
      4,
      'folders[0].site: unknown placeholder {nobody}; use',
    ],
    ['invalid JSON', ['{', '"folders": [,] }'], 2, 'The file is not valid JSON: see line 2, column 13.'],
  ]

describe.each([
  ['own', []],
  ['managed', ['--as-managed']],
] as const)('`settings check` of %s settings', (_, flags) => {
  test.each(faults)('refuses %s, and reports its line', async (_, lines, line, sentence) => {
    write(lines.join('\n'))
    const { usable, faults: reported } = await check(...flags)
    expect(usable).toBe(false)
    expect(reported).toEqual([
      { line, column: expect.any(Number), sentence: expect.stringContaining(sentence) },
    ])
    expect(reported[0]?.sentence.startsWith(sentence)).toBe(true)
  })
})

test('`run` refuses the same files as `settings check`, with the same message, but only warns of a missing metrics token', () => {
  for (const [name, lines, , sentence] of faults) {
    write(lines.join('\n'))
    if (name.startsWith('metrics on')) expect(readOwnSettings(file).warnings[0]).toContain(sentence)
    else expect(() => readOwnSettings(file), name).toThrow(sentence.replace('The file', file))
  }
})

test('`settings check` refuses the same file permissions as `run`', needs(posix), async () => {
  write(`{ "service": { "base_url": "https://api.example.com", "api_key": "sk_live_4fT9" } }`, 0o644)
  const { faults: reported } = await check()
  expect(reported).toEqual([{ line: 1, column: 55, sentence: expect.stringContaining('others can read it') }])
  expect(() => readOwnSettings(file)).toThrow(reported[0]?.sentence.replace('The file', file))
  expect(JSON.stringify(reported)).not.toContain('4fT9')
})
