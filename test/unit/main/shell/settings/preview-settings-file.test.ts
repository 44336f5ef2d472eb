import { describe, expect, it } from 'vitest'
import { previewSettingsFile } from '../../../../../main/shell/settings/preview-settings-file.ts'
import { linuxPaths, windowsPaths } from '../../../../../shared/paths/paths.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const faultsOf = (text: string, paths = linuxPaths) => {
  const preview = previewSettingsFile('s.json', encode(text), paths)
  return preview.kind === 'refused'
    ? preview.faults.map(({ line, sentence }) => `${line}: ${sentence}`)
    : 'readable'
}

const validText = `{
  "service": { "base_url": "https://api.example.com", "api_key": "svc_live_write_0001" },
  "folders": [{ "path": "/data", "site": "Hall 3" }]
}`

describe('a settings file to import', () => {
  it('is read in UTF-8, with or without a byte order mark, and in UTF-16; the preview does not contain the key', () => {
    const utf16 = Buffer.from(`\ufeff${validText}`, 'utf16le')
    for (const file of [encode(validText), encode(`\ufeff${validText}`), utf16]) {
      const preview = previewSettingsFile('s.json', file, linuxPaths)
      expect(preview).toMatchObject({
        kind: 'readable',
        holdsKey: true,
        holdsMonitoringSecrets: false,
        holdsProxyCredentials: false,
        settings: { service: { base_url: 'https://api.example.com' }, folders: [{ site: 'Hall 3' }] },
      })
      expect(JSON.stringify(preview)).not.toContain('svc_live')
    }
  })

  it('is shown without the user name and the password of its proxy', () => {
    const text =
      '{ "service": { "base_url": "https://api.example.com", "proxy": "http://lab:secret@proxy:3128" } }'
    const preview = previewSettingsFile('s.json', encode(text), linuxPaths)
    expect(preview).toMatchObject({
      holdsProxyCredentials: true,
      settings: { service: { proxy: 'http://proxy:3128/' } },
    })
    expect(JSON.stringify(preview)).not.toMatch(/lab|secret/)
  })

  it('is refused with a sentence and a line for each fault', () => {
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
      '2: Service address: Start the address with https://',
      '7: Folder 2, Site: This is required.',
      '9: Folder 3, Folder: This is required.',
      '12: Parallel parts: Type a number, such as 1000.',
      '17: Upload hours, 2, To: Use HH:MM, for example 18:00.',
      '13: Transfer: Unknown setting “paralel_recordings”.',
    ])
  })

  it('is refused with the position of invalid JSON, or of bytes that are not text', () => {
    expect(faultsOf('{\n  "folders": [\n  }')).toEqual([
      '3: The file is not valid JSON: see line 3, column 3. A value is missing, or there is one comma too many.',
    ])
    const preview = previewSettingsFile('s.json', new Uint8Array([0x7b, 0x0a, 0xff]), linuxPaths)
    expect(preview).toMatchObject({
      faults: [{ line: 2, sentence: expect.stringContaining('line 2, column 1') }],
    })
  })

  it('is refused for paths that this system cannot use, and for a duplicate field', () => {
    const text =
      '{ "folders": [{ "path": "C:\\\\rec", "site": "a" },\n { "path": "c:\\\\REC", "site": "a", "site": "b" }] }'
    expect(faultsOf(text)).toContain(
      '1: Folder 1, Folder: Give the full path, starting at the root of the drive.',
    )
    const [twice, spelling] = faultsOf(text, windowsPaths)
    expect(twice).toBe('2: Folder 2, Site: This setting appears twice. Remove one of them.')
    expect(spelling).toMatch(/^2: Folder 2, Folder: .*two spellings of one folder/i)
  })

  it('never has its key quoted, even if the key is in a wrong place', () => {
    const text = '{ "service": { "base_url": "https://a.example", "svc_live_abcdefgh12345678": true } }'
    expect(JSON.stringify(faultsOf(text))).not.toContain('svc_live_abcdefgh12345678')
  })
})
