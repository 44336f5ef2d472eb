import { expect, test } from 'vitest'
import { draftSettingsSchema, type SettingsInput } from '../../../../shared/settings/settings.ts'
import {
  settingsChange,
  settingsChangeWords,
  settingsDigests,
  settingsFields,
} from '../../../../shared/settings/settings-change.ts'

const parse = (input: SettingsInput) => draftSettingsSchema.parse(input)
const folder = (path: string, device = 'rig') => ({ path, site: 'Hall 3', device })
const before = parse({
  service: { base_url: 'https://a.example.com', api_key: 'svc_test_1' },
  folders: [folder('/a'), folder('/b'), folder('/gone')],
})
const after = parse({
  service: { base_url: 'https://a.example.com', api_key: 'svc_test_2' },
  folders: [folder('/b'), folder('/a', 'arm'), folder('/new')],
  transfer: { limit_mbit_per_s: 20 },
  monitoring: { alert_url: 'https://alerts.example.com/x' },
})

const expected = {
  fields: ['transfer.limit_mbit_per_s', 'monitoring.alert_url'],
  added: ['/new'],
  removed: ['/gone'],
  folders: [{ path: '/a', fields: ['device'] }],
  reordered: true,
}

test('the digests of settings show the same change as the settings, without the API key', () => {
  expect(settingsChange(settingsFields(before), settingsFields(after))).toEqual(expected)
  // The journal stores digests as JSON.
  const [old, current] = [before, after].map((settings) => settingsDigests(settings, (text) => `#${text}`))
  expect(settingsChange(JSON.parse(JSON.stringify(old)), current!)).toEqual(expected)
  expect(settingsChange(old!, old!)).toBeNull()
})

test('the words for a change use the names of the settings in the window', () => {
  expect(settingsChangeWords(expected)).toBe(
    'speed limit, alert URL; folder /new added; folder /gone no longer watched; folder /a (device); order of the folders',
  )
})

test('a stored change with an unknown field of another version is shown', () => {
  const storedChange = { fields: ['monitoring.token', 'app.gone'], added: [], removed: [], folders: [] }
  expect(settingsChangeWords(storedChange)).toBe('token for metrics, app.gone')
})
