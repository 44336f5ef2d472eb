import type { Paths } from '../../../shared/paths/paths.ts'
import { afterUploadWords } from '../../../shared/settings/after-upload.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'
import { showLine } from '../../../shared/words/escape-text.ts'
import { plural } from '../../../shared/words/format.ts'
import type { Question } from '../calls/native-question.ts'

type Folder = DraftSettings['folders'][number]
type Removal = Exclude<Folder['after_upload'], { readonly action: 'keep' }>

/** A folder from which Sluice would remove more files than before, or remove them earlier. */
export type WiderRemoval = {
  readonly folder: string
  readonly rule: Removal
  /** Identifies exactly what the user agreed to. */
  readonly key: string
}

/** The settings that decide which files are uploaded, and therefore removed. */
const fileFilters = ({ include, exclude, recursive, ignore_existing }: Folder): string =>
  JSON.stringify({ include, exclude, recursive, ignore_existing })

const isWider = (rule: Removal, before: Folder['after_upload']): boolean => {
  if (before.action !== rule.action) return true
  if (rule.action === 'move' && before.action === 'move' && rule.to !== before.to) return true
  return rule.days < before.days || (rule.keep_free_bytes ?? 0) > (before.keep_free_bytes ?? 0)
}

/**
 * Removals that new settings would add to the current ones. A different service counts too: the service decides which
 * recordings are safe, so a malicious one could cause the removal of everything.
 */
export const widerRemovals = (
  now: DraftSettings,
  next: DraftSettings,
  paths: Paths,
): readonly WiderRemoval[] => {
  const address = next.service?.base_url
  const sameService = address === now.service?.base_url
  return next.folders.flatMap((folder) => {
    const { path, after_upload: rule } = folder
    if (rule.action === 'keep') return []
    const before = now.folders.find((one) => paths.same(one.path, path))
    const isKnown =
      sameService &&
      before !== undefined &&
      fileFilters(before) === fileFilters(folder) &&
      !isWider(rule, before.after_upload)
    if (isKnown) return []
    return [{ folder: path, rule, key: JSON.stringify([address, path, rule, fileFilters(folder)]) }]
  })
}

const MAX_LISTED = 8

/** The dialog lists every folder itself, because the page cannot be trusted to show them. */
export const removalQuestion = (removals: readonly WiderRemoval[], address: string | undefined): Question => {
  const deletes = removals.some(({ rule }) => rule.action === 'delete')
  const more = removals.length - MAX_LISTED
  return {
    message: deletes ? 'Let Sluice delete files from this PC?' : 'Let Sluice move files on this PC?',
    detail: [
      ...removals
        .slice(0, MAX_LISTED)
        .map(({ folder, rule }) => showLine(`${folder}: each recording is ${afterUploadWords(rule)}.`)),
      ...(more > 0 ? [`And ${plural(more, 'more folder')}.`] : []),
      showLine(`${address ?? 'The service'} decides which recordings are processed.`),
      ...(deletes ? ['Deleted files do not go to the waste bin. This cannot be undone.'] : []),
    ].join('\n\n'),
    act: deletes ? 'Delete from now on' : 'Move from now on',
  }
}
