import type { Paths } from '../paths/paths.ts'
import { moveTargetFaults } from './after-upload.ts'
import { placeholderWords, unknownPlaceholder } from './placeholders.ts'
import { type DraftSettings, foldersNotWhole, foldersTwice } from './settings.ts'
import { overlappingHours } from './upload-hours.ts'

export type SettingsFault = { readonly path: string; readonly message: string }

const named = ['site', 'device', 'notes'] as const

/**
 * What is wrong with settings that have the right shape. Not in the schema: settings that an earlier Sluice took stay
 * valid, so it is asked where settings are written, and of files that somebody else rolls out.
 */
export const settingsFaults = (
  {
    folders,
    transfer,
  }: Partial<Pick<DraftSettings, 'folders'>> & {
    readonly transfer?: Partial<DraftSettings['transfer']>
  },
  paths: Paths,
): readonly SettingsFault[] => [
  ...[foldersNotWhole, foldersTwice].flatMap((faultsOf) =>
    faultsOf(folders ?? [], paths).map(({ path: [at], message }) => ({
      path: `folders.${at}.path`,
      message,
    })),
  ),
  ...(folders ?? []).flatMap((folder, at) =>
    named.flatMap((field) => {
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
  ...moveTargetFaults(folders ?? [], paths).map(({ at, message }) => ({
    path: `folders.${at}.after_upload.to`,
    message,
  })),
  ...overlappingHours(transfer?.windows ?? []).map(({ at, with: other }) => ({
    path: `transfer.windows.${at}`,
    message: `these hours overlap with transfer.windows.${other}; remove one of them`,
  })),
]
