import { type Section, settingName } from '../../../shared/settings/setting-names.ts'
import { type DraftSettings, draftSettingsSchema } from '../../../shared/settings/settings.ts'
import { settingsChange, settingsFields } from '../../../shared/settings/settings-change.ts'
import { valueInWords } from '../../../shared/settings/settings-words.ts'

/** In words: a changed field, an added or removed folder with its fields, or a new order of the folders. */
export type ChangeRow = {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly section: Section
  readonly folder: string | null
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

type Fields = Readonly<Record<string, unknown>>

const rowOf = (
  place: Pick<ChangeRow, 'section' | 'folder' | 'field'>,
  key: string,
  before: unknown,
  after: unknown,
): ChangeRow => ({
  ...place,
  kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
  before: valueInWords(key, before),
  after: valueInWords(key, after),
})

/** The fields of the folder that differ from the defaults, in words. */
const folderInWords = (folder: Fields): string => {
  const defaults = settingsFields(draftSettingsSchema.parse({ folders: [{ path: '/', site: '-' }] })).folders[
    '/'
  ]
  const { folders: changed = [] } =
    settingsChange(
      { fields: {}, folders: { '/': defaults ?? {} } },
      { fields: {}, folders: { '/': folder } },
    ) ?? {}
  return changed
    .flatMap(({ fields }) => fields)
    .filter((key) => folder[key] !== undefined)
    .map((key) => `${settingName(`folders.${key}`)}: ${valueInWords(key, folder[key])}`)
    .join(', ')
}

/** The changes of an import. Empty if the import changes nothing. */
export const changeRows = (current: DraftSettings, next: DraftSettings): readonly ChangeRow[] => {
  const [before, after] = [settingsFields(current), settingsFields(next)]
  const change = settingsChange(before, after)
  if (change === null) return []
  const folderRow = (kind: 'added' | 'removed', path: string, fields: Fields = {}): ChangeRow => ({
    kind,
    section: 'folders',
    folder: path,
    field: kind === 'added' ? 'Watched' : 'No longer watched',
    before: kind === 'removed' ? folderInWords(fields) : null,
    after: kind === 'added' ? folderInWords(fields) : null,
  })
  const orderWords = (folders: object, others: object) =>
    Object.keys(folders)
      .filter((path) => path in others)
      .join(', ')
  return [
    ...change.fields.map((path) => {
      const [section = '', key = ''] = path.split('.')
      const place = { section: section as Section, folder: null, field: settingName(path) }
      return rowOf(place, key, before.fields[path], after.fields[path])
    }),
    ...change.folders.flatMap(({ path, fields }) =>
      fields.map((key) => {
        const place = { section: 'folders', folder: path, field: settingName(`folders.${key}`) } as const
        return rowOf(place, key, before.folders[path]?.[key], after.folders[path]?.[key])
      }),
    ),
    ...change.added.map((path) => folderRow('added', path, after.folders[path])),
    ...change.removed.map((path) => folderRow('removed', path, before.folders[path])),
    ...(change.reordered === true
      ? [
          {
            kind: 'changed',
            section: 'folders',
            folder: null,
            field: 'Order',
            before: orderWords(before.folders, after.folders),
            after: orderWords(after.folders, before.folders),
          } as const,
        ]
      : []),
  ]
}
