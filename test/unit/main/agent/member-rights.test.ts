import { describe, expect, test } from 'vitest'
import { refusalForMember } from '../../../../main/agent/member-rights.ts'
import { draftSettingsSchema, type SettingsInput } from '../../../../shared/settings/settings.ts'

const input = {
  service: { base_url: 'https://api.example.com', api_key_file: '/etc/sluice/key' },
  folders: [{ path: '/rec', site: 'lab' }],
} satisfies SettingsInput
const current = draftSettingsSchema.parse(input)

const refusalForSave = (next: SettingsInput) => refusalForMember('saveSettings', next, current)

/** The setting `control.group` names a group of the system. Its members may use the agent, but do not own it. */
describe('a member of the group', () => {
  test.each(['getStatusReport', 'pause', 'retryRecordings', 'makeReceipt', 'listLogLines'] as const)(
    'may call %s',
    (name) => expect(refusalForMember(name, undefined, current)).toBeNull(),
  )

  test.each([
    'saveKey',
    'forgetKey',
    'testKey',
    'deleteSession',
    'acceptOrganisation',
    'checkFolder',
    'previewRemovals',
    'registerWebhook',
    'saveMonitoringSecret',
  ] as const)('may not call %s, and the refusal names the administrator', (name) => {
    const refusal = {
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining('administrator') },
    }
    expect(refusalForMember(name, undefined, current)).toMatchObject(refusal)
  })

  test('may change speed, upload hours and the name of the station', () => {
    const hours = { limit_mbit_per_s: 5, windows: [{ from: '18:00', to: '06:00' }] }
    expect(refusalForSave({ ...input, transfer: hours, app: { station_name: 'Hall 3' } })).toBeNull()
    // The window has no field for the key file, so it sends no `api_key_file`. The missing field must not count as a
    // change.
    const { api_key_file: _hidden, ...service } = input.service
    expect(refusalForSave({ ...input, service })).toBeNull()
  })

  test.each<[string, string, SettingsInput]>([
    ['the address', 'service', { ...input, service: { base_url: 'https://evil.example.com' } }],
    [
      'the proxy',
      'service',
      { ...input, service: { ...input.service, proxy: 'http://evil.example.com:8080' } },
    ],
    [
      'the certificate authority',
      'service',
      { ...input, service: { ...input.service, ca_file: '/tmp/ca.pem' } },
    ],
    [
      'the folders',
      'folders',
      { ...input, folders: [...input.folders, { path: '/home/anna', site: 'lab' }] },
    ],
    [
      'the rule after the upload',
      'folders',
      { ...input, folders: [{ path: '/rec', site: 'lab', after_upload: { action: 'delete', days: 1 } }] },
    ],
    ['the group', 'control', { ...input, control: { group: 'everyone' } }],
    ['the receiver of events', 'webhooks', { ...input, webhooks: { receive: { port: 8080 } } }],
  ])('may not change %s', (_, path, next) => {
    expect(refusalForSave(next)).toEqual({
      ok: true,
      value: { ok: false, issues: [{ path, message: expect.stringContaining('administrator') }] },
    })
  })
})
