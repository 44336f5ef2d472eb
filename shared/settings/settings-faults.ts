import type { Paths } from '../paths/paths.ts'
import { moveTargetFaults } from './after-upload.ts'
import { placeholderWords, unknownPlaceholder } from './placeholders.ts'
import { type DraftSettings, duplicateFolders, relativeFolders } from './settings.ts'
import { hoursInWords } from './settings-words.ts'
import { overlappingHours } from './upload-hours.ts'

type FieldFault = { readonly path: string; readonly message: string }

const placeholderFields = ['site', 'device', 'notes'] as const

/**
 * Errors that the schema accepts, because the app must still load settings that an earlier version accepted. Callers
 * decide which of them to refuse.
 */
export const settingsFaults = (
  {
    folders,
    transfer,
  }: Partial<Pick<DraftSettings, 'folders'>> & {
    readonly transfer?: Partial<DraftSettings['transfer']>
  },
  paths: Paths,
): readonly FieldFault[] => [
  ...[relativeFolders, duplicateFolders].flatMap((faultsOf) =>
    faultsOf(folders ?? [], paths).map(({ path: [at], message }) => ({
      path: `folders.${at}.path`,
      message,
    })),
  ),
  ...(folders ?? []).flatMap((folder, at) =>
    placeholderFields.flatMap((field) => {
      const unknown = unknownPlaceholder(folder[field] ?? '')
      return unknown === null
        ? []
        : [
            {
              path: `folders.${at}.${field}`,
              message: `unknown placeholder ${unknown}; use ${placeholderWords}`,
            },
          ]
    }),
  ),
  ...moveTargetFaults(folders ?? [], paths).map(({ index, message }) => ({
    path: `folders.${index}.after_upload.to`,
    message,
  })),
  ...overlappingHours(transfer?.windows ?? []).map(({ index, earlier }) => ({
    path: `transfer.windows.${index}`,
    message: `these hours overlap with “${hoursInWords(earlier)}”; remove one of them`,
  })),
]
