import type { Paths } from '../../../shared/paths/paths.ts'
import { afterUploadWords } from '../../../shared/settings/after-upload.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'
import { showLine } from '../../../shared/words/escape-text.ts'
import { plural } from '../../../shared/words/format.ts'
import type { Question } from '../calls/native-question.ts'

type Folder = DraftSettings['folders'][number]
type Removal = Exclude<Folder['after_upload'], { readonly action: 'keep' }>

/** A folder whose files Sluice would remove by a rule, filter or service that the user has not agreed to yet. */
export type WiderRemoval = {
  readonly folder: string
  readonly rule: Removal
  /** Identifies what the user is asked to agree to: server, folder, rule and file filters. */
  readonly key: string
}

/** The settings that decide which files Sluice uploads, and therefore removes. */
const fileFilters = ({ include, exclude, recursive, ignore_existing }: Folder): string =>
  JSON.stringify({ include, exclude, recursive, ignore_existing })

const isWider = (rule: Removal, before: Folder['after_upload']): boolean => {
  if (before.action !== rule.action) return true
  if (rule.action === 'move' && before.action === 'move' && rule.to !== before.to) return true
  return rule.days < before.days || (rule.keep_free_bytes ?? 0) > (before.keep_free_bytes ?? 0)
}

/**
 * The removals that the new settings allow, but the current settings do not. A change of the service counts too: the
 * service decides which recordings are safe, so a malicious service could cause the removal of all files.
 */
export const widerRemovals = (
  current: DraftSettings,
  next: DraftSettings,
  paths: Paths,
): readonly WiderRemoval[] => {
  const serverSettings = serverSettingsOf(next.service)
  const isSameService = serverSettings === serverSettingsOf(current.service)
  const nextFolders = next.folders.map((folder) => ({
    path: folder.path,
    folder,
    before: current.folders.find((candidate) => paths.same(candidate.path, folder.path)),
  }))
  return [...nextFolders, ...findAbsorbedFolders(current, next, paths)].flatMap(
    ({ path, folder, before }) => {
      const rule = folder.after_upload
      if (rule.action === 'keep') return []
      const isNotWider =
        isSameService &&
        before !== undefined &&
        fileFilters(before) === fileFilters(folder) &&
        !isWider(rule, before.after_upload)
      if (isNotWider) return []
      return [{ folder: path, rule, key: JSON.stringify([serverSettings, path, rule, fileFilters(folder)]) }]
    },
  )
}

/**
 * Folders that the new settings no longer list, although a listed folder contains them. The rule of that outer folder
 * then applies to their files.
 */
const findAbsorbedFolders = (current: DraftSettings, next: DraftSettings, paths: Paths) => {
  const outerOf = paths.finder(next.folders.map(({ path }) => path))
  return current.folders.flatMap((before) => {
    if (next.folders.some(({ path }) => paths.same(path, before.path))) return []
    const outer = outerOf(before.path)
    const folder = next.folders.find(({ path }) => path === outer)
    return folder === undefined ? [] : [{ path: before.path, folder, before }]
  })
}

/**
 * The settings that decide which server answers: a proxy with its own certificate can impersonate the service.
 */
const serverSettingsOf = (service: DraftSettings['service']): string =>
  JSON.stringify([service?.base_url, service?.proxy, service?.ca_file])

/** The maximum number of folders in one question: a native dialog does not scroll. */
export const MAX_NAMED_RULES = 8

/** Shows the proxy without the user name and password that its address may contain. */
const serviceLines = (service: DraftSettings['service']): readonly string[] => {
  const { base_url: address = 'the service', proxy, ca_file } = service ?? {}
  return [
    `Sluice does this only after ${address} reports a recording as processed.`,
    ...(proxy !== undefined && URL.canParse(proxy)
      ? [`Sluice reaches the service through the proxy ${new URL(proxy).host}.`]
      : []),
    ...(ca_file === undefined ? [] : [`Certificates in ${ca_file} are trusted for this service.`]),
  ]
}

/** The main process names every folder and rule itself, because a compromised page could show different ones. */
export const removalQuestion = (
  removals: readonly WiderRemoval[],
  service: DraftSettings['service'],
  foldersLeft: number,
): Question => {
  const deletesFiles = removals.some(({ rule }) => rule.action === 'delete')
  return {
    message: deletesFiles ? 'Let Sluice delete files from this PC?' : 'Let Sluice move files on this PC?',
    detail: [
      ...removals.map(({ folder, rule }) =>
        showLine(`${folder}: each recording is ${afterUploadWords(rule)}.`),
      ),
      ...(foldersLeft > 0
        ? [`After this question, Sluice asks about ${plural(foldersLeft, 'more folder')}.`]
        : []),
      ...serviceLines(service).map(showLine),
      ...(deletesFiles ? ['Deleted files do not go to the recycle bin. This cannot be undone.'] : []),
    ].join('\n\n'),
    confirmLabel: deletesFiles ? 'Delete from now on' : 'Move from now on',
  }
}
