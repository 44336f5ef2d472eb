import { expect, test } from 'vitest'
import { apiKeySchema, describeIssues, settingsSchema } from '../../../../shared/settings/settings.ts'

const minimalSettings = {
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab' }],
}

const withExpectation = (expect: object) => ({
  ...minimalSettings,
  folders: [{ path: '/rec', site: 'lab', expect }],
})

test('all settings except the address, and the path and site of a folder, have a default', () => {
  const settings = settingsSchema.parse(minimalSettings)
  expect(settings.transfer).toMatchObject({ parallel_recordings: 3, parallel_parts: 4, windows: [] })
  expect(settings.folders[0]).toMatchObject({ settle_seconds: 10, after_upload: { action: 'keep' } })
  expect(settings.service.checksum_header).toBe('x-amz-checksum-sha256')
})

test.each([
  [{ ...minimalSettings, folders: [{ path: '/rec' }] }, /^folders\[0\]\.site: This is required\.$/],
  [{ ...minimalSettings, folders: [{ path: '/rec', site: '' }] }, /^folders\[0\]\.site: This is required\.$/],
  [
    { ...minimalSettings, folders: [{ path: '/rec', site: 'lab', sitee: 'x' }] },
    /^folders\[0\]: Unknown setting “sitee”\.$/,
  ],
  [
    {
      ...minimalSettings,
      folders: [
        { path: '/a', site: 's' },
        { path: '/a/', site: 's' },
      ],
    },
    /^folders\[1\]\.path: This folder is already watched\.$/m,
  ],
  [
    withExpectation({ channels: [{ name: ' ' }] }),
    /^folders\[0\]\.expect\.channels\[0\]\.name: Give the name of a channel, such as \/camera\/wrist/,
  ],
  [
    withExpectation({ channels: [{ name: '/imu', min_rate_hz: 0 }] }),
    /^folders\[0\]\.expect\.channels\[0\]\.min_rate_hz: Use more than 0\.$/,
  ],
  [
    withExpectation({ channels: [{ name: '/imu' }, { name: '/imu' }] }),
    /^folders\[0\]\.expect\.channels\[1\]\.name: \/imu is listed twice: remove one of them\.$/,
  ],
  [
    withExpectation({ min_seconds: 60, max_seconds: 30 }),
    /^folders\[0\]\.expect\.max_seconds: Use 60 or more: max_seconds must not be below min_seconds\.$/,
  ],
  [withExpectation({ chanels: [] }), /^folders\[0\]\.expect: Unknown setting “chanels”\.$/],
  [
    { ...minimalSettings, transfer: { parallel_parts: 'four' } },
    /^transfer\.parallel_parts: Type a number, such as 1000\.$/,
  ],
  [{ ...minimalSettings, app: { theme: 'pink' } }, /^app\.theme: Use one of system, light, dark\.$/],
  [
    { ...minimalSettings, service: { ...minimalSettings.service, proxy: 5 } },
    /^service\.proxy: This value cannot be used here\.$/,
  ],
  [[], /^settings: Write an object: \{…\}\.$/],
  [
    { ...minimalSettings, service: { base_url: 'api.example.com' } },
    /^service\.base_url: Start the address with https/,
  ],
  [{ ...minimalSettings, service: { base_url: 'http://api.example.com' } }, /^service\.base_url: Use https/],
  [
    { ...minimalSettings, service: { base_url: 'https://api.example.com/v1' } },
    /^service\.base_url: Type only https:/,
  ],
  [
    { ...minimalSettings, transfer: { windows: [{ from: '25:00', to: '06:00' }] } },
    /^transfer\.windows\[0\]\.from: Use HH:MM/,
  ],
])('the message names the field that is wrong: %j', (input, message) => {
  const parsed = settingsSchema.safeParse(input)
  expect(parsed.success).toBe(false)
  if (!parsed.success) expect(describeIssues(parsed.error)[0]).toMatch(message)
})

test.each(['proxy.lab:3128', 'socks5://proxy.lab:1080', 'http://', ''])(
  '“%s” is not a valid proxy',
  (proxy) => {
    const parsed = settingsSchema.safeParse({
      ...minimalSettings,
      service: { ...minimalSettings.service, proxy },
    })
    expect(parsed.success ? [] : describeIssues(parsed.error)).toEqual([
      'service.proxy: Give the proxy as http://host:port.',
    ])
  },
)

test('http is accepted for this PC only', () => {
  for (const base_url of ['http://127.0.0.1:8080', 'http://localhost:1', 'http://[::1]:9'])
    expect(settingsSchema.safeParse({ ...minimalSettings, service: { base_url } }).success).toBe(true)
})

test('a pasted key loses its spaces and line breaks', () => {
  expect(apiKeySchema.parse('  svc_test_ab\n cd\r\n')).toBe('svc_test_abcd')
  expect(apiKeySchema.safeParse(' \n ').success).toBe(false)
})
