import type { DraftSettings, FolderSettings } from '../../../shared/settings/settings.ts'
import { parseTypedNumber } from '../../data/field-issues.ts'
import { type AfterUploadDraft, afterDraftOf, keepFilesDraft, readAfterUpload } from './after-upload-draft.ts'
import {
  type ExpectationDraft,
  expectationDraftOf,
  isUnchanged,
  noExpectation,
  readExpectation,
} from './expectation-draft.ts'

const BYTES_PER_MB = 1_000_000

export type FolderDraft = {
  readonly path: string
  readonly site: string
  readonly device: string
  readonly notes: string
  readonly include: string
  readonly exclude: string
  readonly settleSeconds: string
  readonly markerSuffix: string
  readonly partSizeMb: string
  readonly recursive: boolean
  readonly take: FolderSettings['take']
  readonly ignoreExisting: boolean
  readonly silence: FolderSettings['silence']
  readonly expectation: ExpectationDraft
  readonly onDeviation: FolderSettings['on_deviation']
  readonly afterUpload: AfterUploadDraft
}

export const newFolder: FolderDraft = {
  path: '',
  site: '',
  device: '',
  notes: '',
  include: '**/*',
  exclude: '**/.*, **/*.part, **/*.tmp, **/*.active',
  settleSeconds: '10',
  markerSuffix: '',
  partSizeMb: '',
  recursive: true,
  take: 'file',
  ignoreExisting: false,
  silence: 'gentle',
  expectation: noExpectation,
  onDeviation: 'warn',
  afterUpload: keepFilesDraft,
}

export const draftOf = (folder: FolderSettings): FolderDraft => ({
  path: folder.path,
  site: folder.site,
  device: folder.device ?? '',
  notes: folder.notes ?? '',
  include: folder.include.join(', '),
  exclude: folder.exclude.join(', '),
  settleSeconds: String(folder.settle_seconds),
  markerSuffix: folder.marker_suffix ?? '',
  partSizeMb: folder.part_size_bytes === undefined ? '' : String(folder.part_size_bytes / BYTES_PER_MB),
  recursive: folder.recursive,
  take: folder.take,
  ignoreExisting: folder.ignore_existing,
  silence: folder.silence,
  expectation: expectationDraftOf(folder.expect),
  onDeviation: folder.on_deviation,
  afterUpload: afterDraftOf(folder.after_upload),
})

/** Suggests the site of the nearest watched folder that contains this path, or an empty text. */
export const suggestSite = (folders: readonly FolderSettings[], path: string): string => {
  const isInside = (outer: string) =>
    path.startsWith(outer) && /^[\\/]/.test(path.slice(outer.replace(/[\\/]+$/, '').length))
  const [nearest] = folders
    .filter((folder) => path !== folder.path && isInside(folder.path))
    .sort((a, b) => b.path.length - a.path.length)
  return nearest?.site ?? ''
}

/** A comma in braces belongs to the pattern: `*.{mcap,bag}`. Allows braces in braces. */
const PATTERN = /(?:\{(?:[^{}\n]|\{[^{}\n]*\})*\}|[^,\n])+/g

const parsePatterns = (text: string) =>
  (text.match(PATTERN) ?? []).map((pattern) => pattern.trim()).filter((pattern) => pattern !== '')

/** Returns the stored patterns if the text is unchanged, because they may contain commas outside braces. */
const readPatterns = (text: string, stored: readonly string[] = []) =>
  text === stored.join(', ') ? stored : parsePatterns(text)

/** Adds the patterns that the text lacks. */
export const withPatterns = (text: string, patterns: readonly string[]): string =>
  [...new Set([...parsePatterns(text), ...patterns])].join(', ')

const optionalText = <K extends string>(key: K, text: string) =>
  text.trim() === '' ? {} : { [key]: text.trim() }

const readPartSize = (text: string) => {
  const megabytes = parseTypedNumber(text)
  return megabytes === undefined ? {} : { part_size_bytes: Math.round(megabytes * BYTES_PER_MB) }
}

/**
 * Returns the folder as the schema expects it. Keeps the settings that the form does not show, such as
 * `upload_duplicates`.
 */
export const readFolder = (draft: FolderDraft, storedFolder: FolderSettings | null) => {
  const {
    device: _device,
    notes: _notes,
    marker_suffix: _marker,
    part_size_bytes: _partSize,
    expect: _expect,
    ...hiddenSettings
  } = storedFolder ?? {}
  return {
    ...hiddenSettings,
    path: draft.path.trim(),
    site: draft.site.trim(),
    include: readPatterns(draft.include, storedFolder?.include),
    exclude: readPatterns(draft.exclude, storedFolder?.exclude),
    recursive: draft.recursive,
    take: draft.take,
    ignore_existing: draft.ignoreExisting,
    silence: draft.silence,
    on_deviation: draft.onDeviation,
    after_upload: readAfterUpload(draft.afterUpload),
    // An empty field becomes NaN, so that the schema refuses it instead of using the default silently.
    settle_seconds: parseTypedNumber(draft.settleSeconds) ?? Number.NaN,
    ...optionalText('device', draft.device),
    ...optionalText('notes', draft.notes),
    ...optionalText('marker_suffix', draft.markerSuffix),
    ...readPartSize(draft.partSizeMb),
    ...(storedFolder?.expect !== undefined && isUnchanged(draft.expectation, storedFolder.expect)
      ? { expect: storedFolder.expect }
      : readExpectation(draft.expectation)),
  }
}

/** Replaces the folder at `replacedPath`, or adds the folder if `replacedPath` is null. */
export const withFolder = (
  settings: DraftSettings,
  replacedPath: string | null,
  folder: unknown,
): DraftSettings['folders'] => {
  const value = folder as FolderSettings
  if (replacedPath === null) return [...settings.folders, value]
  return settings.folders.map((existing) => (existing.path === replacedPath ? value : existing))
}
