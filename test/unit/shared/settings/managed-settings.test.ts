import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  lockedBy,
  type ManagedSettings,
  managedSettingsSchema,
  withManaged,
  withoutManaged,
} from '../../../../shared/settings/managed-settings.ts'
import { describeIssues, draftSettingsSchema } from '../../../../shared/settings/settings.ts'

const address = fc.constantFrom('https://a.example.com', 'https://b.example.com')
const time = fc.constantFrom('00:00', '06:30', '18:00', '23:59')
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
/** Drops undefined keys, because a file cannot contain them. */
const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, fieldValue]) => fieldValue !== undefined)) as T

const serviceFields = {
  proxy: optional(fc.constantFrom('system', 'none', 'http://proxy.example.com:3128')),
  ca_file: optional(fc.constant('/etc/ca.pem')),
  checksum_header: optional(fc.constant('x-other-checksum')),
}
const folder = fc
  .record({
    path: fc.constantFrom('/a', '/b', '/c'),
    site: fc.constantFrom('lab', 'roof'),
    recursive: fc.boolean(),
  })
  .map(withoutUndefined)
const sections = {
  folders: optional(fc.uniqueArray(folder, { selector: ({ path }) => path, maxLength: 3 })),
  transfer: optional(
    fc
      .record({
        parallel_parts: optional(fc.integer({ min: 1, max: 32 })),
        limit_mbit_per_s: optional(fc.integer({ min: 1, max: 900 })),
        windows: optional(fc.constant([{ from: '18:00', to: '06:00' }])),
      })
      .map(withoutUndefined),
  ),
  follow: optional(fc.record({ poll_seconds: fc.integer({ min: 1, max: 60 }) })),
  app: optional(
    fc
      .record({
        theme: optional(fc.constantFrom('dark', 'light')),
        start_at_login: optional(fc.boolean()),
        station_name: optional(fc.constantFrom('one', 'two')),
        quiet_hours: optional(fc.record({ from: time, to: time })),
      })
      .map(withoutUndefined),
  ),
}

const anyOwn = fc
  .record({
    ...sections,
    service: optional(fc.record({ base_url: address, ...serviceFields }).map(withoutUndefined)),
  })
  .map((value) => draftSettingsSchema.parse(withoutUndefined(value)))
const anyManaged: fc.Arbitrary<ManagedSettings> = fc
  .record({
    ...sections,
    service: optional(fc.record({ base_url: optional(address), ...serviceFields }).map(withoutUndefined)),
  })
  .map((value) => managedSettingsSchema.parse(withoutUndefined(value)))

const valueAt = (settings: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], settings)

describe('managed settings', () => {
  it('override only those settings of the station that they contain', () => {
    fc.assert(
      fc.property(anyOwn, anyManaged, (own, managed) => {
        const active = withManaged(own, managed)
        for (const path of lockedBy(managed)) {
          if (path.startsWith('service.') && own.service === undefined) continue
          expect({ value: valueAt(active, path) }).toMatchObject({ value: valueAt(managed, path) })
        }
        const lockedPaths = lockedBy(managed)
        for (const name of ['service', 'folders', 'transfer', 'follow', 'app'] as const) {
          if (lockedPaths.includes(name)) continue
          for (const field of Object.keys(own[name] ?? {}))
            if (!lockedPaths.includes(`${name}.${field}`))
              expect(valueAt(active, `${name}.${field}`)).toEqual(valueAt(own, `${name}.${field}`))
        }
      }),
    )
  })

  it('are never written into the station’s own file', () => {
    fc.assert(
      fc.property(anyOwn, anyManaged, (own, managed) => {
        expect(withoutManaged(withManaged(own, managed), own, managed)).toEqual(own)
      }),
    )
  })

  it('do not affect the user’s changes to other settings', () => {
    fc.assert(
      fc.property(anyOwn, anyManaged, anyOwn, (own, managed, change) => {
        const edited = {
          ...withManaged(own, managed),
          app: { ...withManaged(own, managed).app, theme: change.app.theme },
        }
        const savedSettings = withoutManaged(edited, own, managed)
        expect(withManaged(savedSettings, managed)).toEqual(
          managed.app?.theme === undefined ? edited : withManaged(own, managed),
        )
      }),
    )
  })

  it('change nothing if they are applied a second time, or are empty', () => {
    fc.assert(
      fc.property(anyOwn, anyManaged, (own, managed) => {
        const applied = withManaged(own, managed)
        expect(withManaged(applied, managed)).toEqual(applied)
        expect(withManaged(own, null)).toBe(own)
        expect(withManaged(own, {})).toEqual(own)
      }),
    )
  })

  it('lock only the fields in the file, not the default values', () => {
    const managed = managedSettingsSchema.parse({
      $schema: './settings.schema.json',
      transfer: { parallel_parts: 2 },
      folders: [],
      app: {},
    })
    expect(lockedBy(managed)).toEqual(['folders', 'transfer.parallel_parts'])
    expect(lockedBy(null)).toEqual([])
  })

  it('with an address replace the whole service section, including the user’s proxy', () => {
    const own = draftSettingsSchema.parse({
      service: { base_url: 'https://own.example.com', proxy: 'http://mine.example.com:1' },
    })
    const managed = managedSettingsSchema.parse({ service: { base_url: 'https://lab.example.com' } })
    expect(lockedBy(managed)).toEqual(['service'])
    expect(withManaged(own, managed).service).toMatchObject({
      base_url: 'https://lab.example.com',
      proxy: 'system',
    })
  })

  it.each<[string, unknown, string]>([
    ['a wrong type', { transfer: { parallel_parts: 'four' } }, 'transfer.parallel_parts'],
    ['an unknown field', { transfer: { paralel_parts: 4 } }, 'paralel_parts'],
    ['an unknown section', { tranfer: {} }, 'tranfer'],
    [
      'a folder twice',
      {
        folders: [
          { path: '/a', site: 's' },
          { path: '/a/', site: 's' },
        ],
      },
      'folders[1].path',
    ],
    [
      'an impossible time',
      { transfer: { windows: [{ from: '25:00', to: '06:00' }] } },
      'transfer.windows[0].from',
    ],
    ['incomplete quiet hours', { app: { quiet_hours: { from: '22:00' } } }, 'app.quiet_hours.to'],
    ['a key without its address', { service: { api_key_file: '/k' } }, 'service.api_key_file'],
    ['a list', [], 'settings'],
  ])('are refused with %s, and the message names the field', (_, value, field) => {
    const parsed = managedSettingsSchema.safeParse(value)
    expect(parsed.success).toBe(false)
    expect(describeIssues(parsed.error!).join('\n')).toContain(field)
  })
})
