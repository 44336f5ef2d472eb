import { describe, expect, test } from 'vitest'
import { policyTemplate, policyTexts } from '../../../../scripts/docs/policy-template.ts'
import { windowsPaths } from '../../../../shared/paths/paths.ts'
import { lockedBy } from '../../../../shared/settings/managed-settings.ts'
import { parseManagedSettings } from '../../../../shared/settings/parse-settings.ts'
import { policySettings, withPolicies } from '../../../../shared/settings/policy-settings.ts'
import { settingsJsonSchema } from '../../../../shared/settings/settings-json-schema.ts'

type Node = { readonly properties?: Readonly<Record<string, Node>> }

/** Every setting of the published schema that can be a policy. */
const settingsOfSchema = Object.entries((JSON.parse(settingsJsonSchema()) as Node).properties ?? {})
  .flatMap(([section, { properties }]) =>
    properties === undefined ? [section] : Object.keys(properties).map((field) => `${section}.${field}`),
  )
  // Every user of the PC can read policies, so no policy sets the API key or a secret URL of monitoring.
  .filter(
    (name) =>
      !['$schema', 'service.api_key', 'monitoring.heartbeat_url', 'monitoring.alert_url'].includes(name),
  )

const parse = (file: string, policies: Readonly<Record<string, string>>) =>
  parseManagedSettings(withPolicies(Buffer.from(file), new Map(Object.entries(policies))), windowsPaths)

describe('the template for group policies', () => {
  test('contains every setting that can be a policy exactly once', () => {
    const valueNames = [...policyTemplate().matchAll(/valueName="([^"]+)"/g)].map(([, name]) => name)
    expect(valueNames.toSorted()).toEqual(settingsOfSchema.toSorted())
  })

  test('has a text for each reference, and no unused text', () => {
    const referenced = [...policyTemplate().matchAll(/\$\((string|presentation)\.([^)]+)\)/g)]
    const namesOf = (kind: string) => [
      ...new Set(referenced.filter(([, found]) => found === kind).map(([, , name]) => name)),
    ]
    const texts = policyTexts()
    const defined = (element: string) =>
      [...texts.matchAll(new RegExp(`<${element} id="([^"]+)"`, 'g'))].map(([, name]) => name)
    expect(defined('string').toSorted()).toEqual(namesOf('string').toSorted())
    expect(defined('presentation').toSorted()).toEqual(namesOf('presentation').toSorted())
    const elements = [...policyTemplate().matchAll(/<(?:text|multiText|enum) id="([^"]+)"/g)].map(
      ([, id]) => id,
    )
    const controls = [...texts.matchAll(/refId="([^"]+)"/g)].map(([, id]) => id)
    expect(controls).toEqual(elements)
  })
})

describe('policies', () => {
  test('can set every managed setting except secrets', () => {
    const samples: Readonly<Record<string, string>> = {
      'service.base_url': 'https://api.example.com',
      'service.api_key_file': 'C:\\ProgramData\\Sluice\\key',
      'service.ca_file': 'C:\\ProgramData\\Sluice\\ca.pem',
      'service.proxy': 'none',
      'service.checksum_header': 'x-amz-checksum-sha256',
      'service.upload_hosts': '["storage.example.com"]',
      folders: '[{"path": "D:\\\\recordings",\n"site": "hall-3"}]',
      'transfer.windows': '[{"from": "18:00", "to": "06:00"}]',
      'webhooks.receive': '{"port": 8787}',
      'monitoring.metrics': '{"port": 9464}',
      'app.quiet_hours': '{"from": "22:00", "to": "07:00"}',
      'updates.feed': 'https://example.com/feed.json',
      'updates.feed_key': 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=',
      'updates.version': '1.2.3',
      'updates.wait_at_most': '24h',
    }
    const values = Object.fromEntries(
      policySettings().map(({ name, kind, choices, lowest }) => [
        name,
        samples[name] ??
          {
            switch: 'true',
            choice: choices[0] ?? '',
            number: String(lowest ?? 1),
            text: 'hall-3',
            json: '[]',
          }[kind],
      ]),
    )
    const parsed = parse('{}', values)
    expect(parsed.faults).toEqual([])
    // A managed `service.base_url` locks the whole `service` section.
    const sectionOrName = settingsOfSchema.map((name) => (name.startsWith('service.') ? 'service' : name))
    expect([...(parsed.settings === null ? [] : lockedBy(parsed.settings))].toSorted()).toEqual(
      [...new Set(sectionOrName)].toSorted(),
    )
  })

  test('replace the same settings of the managed file, and leave its other settings', () => {
    const file =
      '{"transfer": {"parallel_parts": 4, "parallel_recordings": 2}, "follow": {"poll_seconds": 3}}'
    expect(parse(file, { 'transfer.parallel_parts': '8' }).settings).toEqual({
      transfer: { parallel_parts: 8, parallel_recordings: 2 },
      follow: { poll_seconds: 3 },
    })
  })

  test('for the metrics keep the token of the managed file', () => {
    const file = '{"monitoring": {"metrics": {"port": 9000, "token": "a-token-of-the-file"}}}'
    expect(parse(file, { 'monitoring.metrics': '{"port": 9464}' }).settings).toMatchObject({
      monitoring: { metrics: { port: 9464, token: 'a-token-of-the-file' } },
    })
  })

  test('that are invalid are refused, and the fault names the setting or its section', () => {
    expect(parse('{}', { 'transfer.parallel_parts': 'many' }).faults).toMatchObject([
      { path: ['transfer', 'parallel_parts'] },
    ])
    expect(parse('{}', { 'transfer.paralel_parts': '8' }).faults).toMatchObject([{ path: ['transfer'] }])
    expect(parse('{}', { folders: '[' }).faults).toMatchObject([{ path: ['folders'] }])
  })

  test('do not make an invalid managed file valid', () => {
    expect(parse('{', { 'follow.poll_seconds': '3' }).settings).toBeNull()
  })
})
