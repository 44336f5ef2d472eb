import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChangeRow, changeRows } from '../../../../../renderer/features/settings-file/change-rows.ts'
import {
  type DraftSettings,
  draftSettingsSchema,
  type SettingsInput,
} from '../../../../../shared/settings/settings.ts'

const parse = (input: SettingsInput): DraftSettings => draftSettingsSchema.parse(input)

const station: SettingsInput = {
  service: { base_url: 'https://api.example.com' },
  folders: [
    { path: '/data/hall-3', site: 'Hall 3', device: 'rig-07' },
    { path: '/mnt/track', site: 'Track' },
  ],
  transfer: { limit_mbit_per_s: 400 },
}

const linesOf = (changes: readonly ChangeRow[]): readonly string[] =>
  changes.map(
    ({ kind, section, folder, field, before, after }) =>
      `${kind} ${section} ${folder === null ? '' : `${folder} `}${field}: ${before} -> ${after}`,
  )

const anyInput: fc.Arbitrary<SettingsInput> = fc.record(
  {
    service: fc.record(
      {
        base_url: fc.constantFrom('https://a.example.com', 'https://b.example.com'),
        proxy: fc.constantFrom('system' as const, 'none' as const),
        ca_file: fc.constantFrom('/a.pem', '/b.pem'),
      },
      { requiredKeys: ['base_url'] },
    ),
    folders: fc.uniqueArray(
      fc.record(
        {
          path: fc.constantFrom('/a', '/b', '/c'),
          site: fc.constantFrom('Hall 3', 'Hall 4'),
          device: fc.constantFrom('rig', 'arm'),
          recursive: fc.boolean(),
          part_size_bytes: fc.constantFrom(8_000_000, 8_000_001),
        },
        { requiredKeys: ['path', 'site'] },
      ),
      { selector: ({ path }) => path },
    ),
    transfer: fc.record(
      {
        parallel_parts: fc.integer({ min: 1, max: 3 }),
        windows: fc.array(fc.record({ from: fc.constantFrom('18:00', '18:30'), to: fc.constant('06:00') }), {
          maxLength: 2,
        }),
      },
      { requiredKeys: [] },
    ),
    app: fc.record(
      { start_at_login: fc.boolean(), station_name: fc.constantFrom('one', 'two') },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

describe('the rows of an import', () => {
  it('are empty exactly if both settings are equal', () => {
    fc.assert(
      fc.property(anyInput, anyInput, (a, b) => {
        const [before, after] = [parse(a), parse(b)]
        expect(changeRows(before, before)).toEqual([])
        const isSame = JSON.stringify(before) === JSON.stringify(after)
        expect(changeRows(before, after).length === 0).toBe(isSame)
      }),
    )
  })

  it('show each changed field with its old and its new value', () => {
    const after = parse({
      ...station,
      folders: [
        { path: '/data/hall-3', site: 'Hall 4' },
        { path: '/data/new', site: 'Yard', settle_seconds: 30 },
      ],
      transfer: {
        parallel_parts: 8,
        windows: [{ days: ['mon', 'tue', 'wed'], from: '18:30', to: '06:00', limit_mbit_per_s: 20 }],
      },
      app: { start_at_login: true, quiet_hours: { from: '22:00', to: '07:00' } },
    })
    expect(linesOf(changeRows(parse(station), after))).toEqual([
      'changed transfer Parallel parts: 4 -> 8',
      'removed transfer Speed limit: 400 Mbit/s (50.0 MB/s) -> null',
      'changed transfer Upload hours: at any time -> Mon to Wed 18:30 to 06:00 (next day), 20 Mbit/s (2.5 MB/s)',
      'changed app Start at login: off -> on',
      'added app Quiet hours: null -> 22:00 to 07:00',
      'changed folders /data/hall-3 Site: Hall 3 -> Hall 4',
      'removed folders /data/hall-3 Device: rig-07 -> null',
      'added folders /data/new Watched: null -> Site: Yard, Finished when unchanged for: 30 s',
      'removed folders /mnt/track No longer watched: Site: Track -> null',
    ])
  })
})
