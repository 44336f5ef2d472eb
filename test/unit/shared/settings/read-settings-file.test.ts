import { describe, expect, it } from 'vitest'
import { linuxPaths, windowsPaths } from '../../../../shared/paths/paths.ts'
import { jsonLine } from '../../../../shared/settings/json-line.ts'
import { readSettingsFile } from '../../../../shared/settings/read-settings-file.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const faultsOf = (text: string, paths = linuxPaths) => {
  const reading = readSettingsFile(bytes(text), paths)
  return reading.kind === 'refused'
    ? reading.faults.map(({ line, sentence }) => `${line}: ${sentence}`)
    : 'readable'
}

const good = `{
  "service": { "base_url": "https://api.example.com", "api_key": "svc_live_write_0001" },
  "folders": [{ "path": "/data", "site": "Hall 3" }]
}`

describe('a settings file to import', () => {
  it('is read in every encoding that editors use, without its key', () => {
    const utf16 = Buffer.from(`\ufeff${good}`, 'utf16le')
    for (const file of [bytes(good), bytes(`\ufeff${good}`), utf16]) {
      const reading = readSettingsFile(file, linuxPaths)
      expect(reading).toMatchObject({
        kind: 'readable',
        holdsKey: true,
        holdsMonitoring: false,
        settings: { service: { base_url: 'https://api.example.com' }, folders: [{ site: 'Hall 3' }] },
      })
      expect(JSON.stringify(reading)).not.toContain('svc_live')
    }
  })

  it('has a sentence and a line for each fault', () => {
    const text = `{
  "service": { "base_url": "api.example.com" },
  "folders": [
    { "path": "/data", "site": "Hall 3" },
    {
      "path": "/more",
      "site": ""
    },
    { "site": "nowhere" }
  ],
  "transfer": {
    "parallel_parts": "four",
    "paralel_recordings": 3,
    "windows": [
      { "from": "18:00", "to": "06:00" },
      { "from": "18:00",
        "to": "25:00" }
    ]
  }
}`
    expect(faultsOf(text)).toEqual([
      '2: Service, Address: Start the address with https://',
      '7: Folder 2, Site: This is required.',
      '9: Folder 3, Folder: This is required.',
      '12: Transfer, Parts at once: Type a number.',
      '17: Transfer, Upload hours, 2, To: Use HH:MM, for example 18:00.',
      '13: Unknown setting “paralel_recordings”.',
    ])
  })

  it('that is not JSON is reported by line, and that is not text by place', () => {
    expect(faultsOf('{\n  "folders": [\n  }')[0]).toMatch(/^3: Invalid JSON at column 3/)
    const reading = readSettingsFile(new Uint8Array([0x7b, 0x0a, 0xff]), linuxPaths)
    expect(reading).toMatchObject({ faults: [{ sentence: expect.stringContaining('line 2, column 1') }] })
  })

  it('with one folder in two spellings is checked by the rules of this system', () => {
    const text =
      '{ "folders": [{ "path": "C:\\\\rec", "site": "a" },\n { "path": "c:\\\\REC", "site": "a" }] }'
    expect(faultsOf(text)).toBe('readable')
    expect(faultsOf(text, windowsPaths)[0]).toMatch(/^2: Folder 2, Folder: .*two spellings of one folder/i)
  })

  it('never has its key quoted, even in a wrong place', () => {
    const text = '{ "service": { "base_url": "https://a.example", "svc_live_abcdefgh12345678": true } }'
    expect(JSON.stringify(faultsOf(text))).not.toContain('svc_live_abcdefgh12345678')
  })
})

describe('the line of a field', () => {
  it('is that of the last duplicate, and skips strings with brackets', () => {
    const text = '{\n"a": "}]\\"",\n"b": [1,\n {"c": [ ]}],\n"a": 2\n}'
    expect(jsonLine(text, ['a'])).toBe(5)
    expect(jsonLine(text, ['b', 1, 'c'])).toBe(4)
    expect(jsonLine(text, ['b', 7])).toBe(3)
    expect(jsonLine(text, [])).toBe(1)
  })

  it('is found in deeply nested texts', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    expect(jsonLine(`{"x": ${deep},\n"y": 1}`, ['y'])).toBe(2)
  })
})
