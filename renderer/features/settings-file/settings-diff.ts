import {
  type DraftSettings,
  draftSettingsSchema,
  type FolderSettings,
} from '../../../shared/settings/settings.ts'
import { fieldName, type Section, sections, valueInWords } from '../../../shared/settings/settings-words.ts'

/** One field that would be another, in words. Of a folder that comes or goes the fields that say something stand in one. */
export type SettingsChange = {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly section: Section
  /** The folder whose field it is. */
  readonly folder: string | null
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

type Fields = Readonly<Record<string, unknown>>

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const kindOf = (before: unknown, after: unknown): SettingsChange['kind'] =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'

const fieldChanges = (
  section: Section,
  folder: string | null,
  before: Fields,
  after: Fields,
): readonly SettingsChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !same(before[key], after[key]))
    .map((key) => ({
      kind: kindOf(before[key], after[key]),
      section,
      folder,
      field: fieldName(key),
      before: valueInWords(key, before[key]),
      after: valueInWords(key, after[key]),
    }))

/** What is not as every folder has it, site and device first. */
const folderInWords = (folder: FolderSettings): string => {
  const [usual] = draftSettingsSchema.parse({ folders: [{ path: folder.path, site: '-' }] }).folders
  return Object.entries(folder)
    .filter(([key, value]) => key !== 'path' && !same(value, (usual as Fields | undefined)?.[key]))
    .map(([key, value]) => `${fieldName(key)}: ${valueInWords(key, value)}`)
    .join(', ')
}

const folderChanges = (
  before: readonly FolderSettings[],
  after: readonly FolderSettings[],
): readonly SettingsChange[] => {
  const whole = (kind: 'added' | 'removed', folder: FolderSettings): SettingsChange => ({
    kind,
    section: 'folders',
    folder: folder.path,
    field: kind === 'added' ? 'Watched' : 'No longer watched',
    before: kind === 'removed' ? folderInWords(folder) : null,
    after: kind === 'added' ? folderInWords(folder) : null,
  })
  // By their spelling: what is shown is what would be written otherwise.
  const at = (folders: readonly FolderSettings[], path: string) =>
    new Map(folders.map((folder) => [folder.path, folder])).get(path)
  const order = (folders: readonly FolderSettings[], others: readonly FolderSettings[]) =>
    folders.map(({ path }) => path).filter((path) => at(others, path) !== undefined)
  const [orderBefore, orderAfter] = [order(before, after), order(after, before)]
  return [
    ...after.flatMap((folder) => {
      const known = at(before, folder.path)
      return known === undefined
        ? [whole('added', folder)]
        : fieldChanges('folders', folder.path, known, folder)
    }),
    ...before.filter(({ path }) => at(after, path) === undefined).map((folder) => whole('removed', folder)),
    ...(same(orderBefore, orderAfter)
      ? []
      : [
          {
            kind: 'changed',
            section: 'folders',
            folder: null,
            field: 'Order',
            before: orderBefore.join(', '),
            after: orderAfter.join(', '),
          } as const,
        ]),
  ]
}

/** What would become other if `after` took the place of `before`, field by field. Empty where they say the same. */
export const settingsDiff = (before: DraftSettings, after: DraftSettings): readonly SettingsChange[] =>
  sections.flatMap((section) =>
    section === 'folders'
      ? folderChanges(before.folders, after.folders)
      : fieldChanges(section, null, before[section] ?? {}, after[section] ?? {}),
  )
