import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linuxPaths, windowsPaths } from '../../../../shared/paths/paths.ts'
import { fillPlaceholders, unknownPlaceholder } from '../../../../shared/settings/placeholders.ts'
import { draftSettingsSchema } from '../../../../shared/settings/settings.ts'
import { settingsFaults } from '../../../../shared/settings/settings-faults.ts'
import { overlappingHours } from '../../../../shared/settings/upload-hours.ts'

const values = { hostname: 'pc-7', folder: 'rec', stem: 'take 1', segments: ['subject-a', 'day 2'] }
const fill = (text: string, maxLength = 256) => fillPlaceholders(text, values, maxLength)

describe('placeholders', () => {
  it.each([
    ['{hostname}', 'pc-7'],
    ['lab {1}/{2}', 'lab subject-a/day 2'],
    ['{folder}: {stem}', 'rec: take 1'],
    ['no placeholder', 'no placeholder'],
    ['text with {unknown} braces', 'text with {unknown} braces'],
  ])('%j becomes %j', (text, filled) => expect(fill(text)).toEqual({ ok: true, text: filled }))

  it.each([
    ['{3}', '{3} has no value here'],
    ['{1}{1}{1}{1}', 'the text would have 36 characters; at most 30 are allowed'],
  ])('%j is refused: %s', (text, fault) => expect(fill(text, 30)).toEqual({ ok: false, fault }))

  it('are not filled in if they come from the name of a file', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('{stem}', '{1}', 'x {stem}{hostname}'), (name, text) => {
        const oddValues = { ...values, stem: `${name}{hostname}`, segments: [`{stem}${name}`] }
        const filledOnce = fillPlaceholders(text, oddValues, 4096)
        if (filledOnce.ok) expect(fillPlaceholders(filledOnce.text, values, 4096)).toEqual(filledOnce)
      }),
    )
  })

  it('that are unknown are reported, wherever they are in the text', () => {
    expect(unknownPlaceholder('{hostname}-{1}-{stem} {folder}')).toBeNull()
    expect(unknownPlaceholder('{hostname}-{hostnme}')).toBe('{hostnme}')
    expect(unknownPlaceholder('{0}')).toBe('{0}')
    expect(unknownPlaceholder('a } lone { brace')).toBeNull()
  })
})

describe('upload hours', () => {
  const hours = (...windows: [days: string, from: string, to: string][]) =>
    draftSettingsSchema.parse({
      transfer: { windows: windows.map(([days, from, to]) => ({ days: days.split(' '), from, to })) },
    }).transfer.windows

  it.each([
    ['on the same day', hours(['mon', '08:00', '12:00'], ['mon tue', '11:59', '13:00'])],
    ['past midnight', hours(['mon', '22:00', '06:00'], ['tue', '05:00', '07:00'])],
    ['past the week’s end', hours(['sun', '22:00', '06:00'], ['mon', '00:00', '01:00'])],
    ['with a whole day', hours(['wed', '12:00', '12:00'], ['wed', '00:00', '01:00'])],
  ])('that overlap %s are reported', (_, windows) => {
    expect(overlappingHours(windows)).toEqual([{ index: 1, earlier: windows[0] }])
  })

  it('that overlap are reported, and the message names the hours with which they overlap', () => {
    const windows = hours(['mon tue', '18:00', '07:00'], ['tue', '05:00', '08:00'])
    const { transfer } = draftSettingsSchema.parse({ transfer: { windows } })
    expect(settingsFaults({ transfer }, linuxPaths)).toEqual([
      {
        path: 'transfer.windows.1',
        message: 'these hours overlap with “Mon, Tue 18:00 to 07:00 (next day)”; remove one of them',
      },
    ])
  })

  it.each([
    [
      'follow each other',
      hours(['mon', '08:00', '12:00'], ['mon', '12:00', '24:00'], ['tue', '00:00', '08:00']),
    ],
    ['are on different days', hours(['mon', '08:00', '12:00'], ['tue', '08:00', '12:00'])],
    ['follow each other after midnight', hours(['sun', '22:00', '06:00'], ['mon', '06:00', '22:00'])],
  ])('that %s are not reported', (_, windows) => {
    expect(overlappingHours(windows)).toEqual([])
  })
})

it('faults in settings are reported with the paths of their fields', () => {
  const settings = draftSettingsSchema.parse({
    folders: [
      { path: 'C:\\rec', site: '{host}' },
      { path: 'c:\\REC', site: 'lab', device: '{hostname}', notes: '{now}' },
    ],
    transfer: {
      windows: [
        { from: '18:00', to: '06:00' },
        { from: '05:00', to: '07:00' },
      ],
    },
  })
  expect(settingsFaults(settings, windowsPaths).map(({ path }) => path)).toEqual([
    'folders.1.path',
    'folders.0.site',
    'folders.1.notes',
    'transfer.windows.1',
  ])
})
