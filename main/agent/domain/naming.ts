import type { Paths } from '../../../shared/paths/paths.ts'
import { fillPlaceholders, type PlaceholderValues } from '../../../shared/settings/placeholders.ts'
import type { Failure } from './failure.ts'
import { type TakeFiles, takeLine } from './takes.ts'

/** The descriptive fields of a session (§4.1). */
export type SessionLabels = {
  readonly site: string
  readonly device: string | null
  readonly notes: string | null
}

/** The limits of the settings, because the contract has none. */
const maxChars = { site: 256, device: 256, notes: 4096 } as const
const CUT_MARK = ' […]'

/** The name without its last extension. A leading dot starts no extension. */
const stemOf = (name: string): string => {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? name : name.slice(0, dot)
}

export const placeholderValues = (
  recording: { readonly path: string; readonly name: string; readonly folder: string },
  hostname: string,
  paths: Pick<Paths, 'nameOf' | 'nameInside'>,
): PlaceholderValues => ({
  hostname,
  folder: paths.nameOf(recording.folder),
  stem: stemOf(recording.name),
  segments: (paths.nameInside(recording.folder, recording.path) ?? '').split('/').slice(0, -1),
})

/** Site and device with their placeholders filled in; null if empty or impossible to fill. */
export const shownLabels = (
  recording: Parameters<typeof placeholderValues>[0] & Pick<SessionLabels, 'site' | 'device'>,
  hostname: string,
  paths: Pick<Paths, 'nameOf' | 'nameInside'>,
): { readonly site: string | null; readonly device: string | null } => {
  const values = placeholderValues(recording, hostname, paths)
  const fill = (field: 'site' | 'device') => {
    const result = fillPlaceholders(recording[field] ?? '', values, maxChars[field])
    return result.ok && result.text !== '' ? result.text : null
  }
  return { site: fill('site'), device: fill('device') }
}

/**
 * Fills the placeholders of the folder's settings for one recording. If this fails or the text gets too long, the
 * recording waits. Notes of a sidecar follow the folder's notes, and Sluice cuts them if they are too long: a sidecar
 * never holds up a recording. For a take, the last line describes the take.
 */
export const fillLabels = (
  templates: SessionLabels,
  values: PlaceholderValues,
  sidecarNotes: string | null,
  take: TakeFiles | null = null,
):
  | { readonly ok: true; readonly labels: SessionLabels }
  | { readonly ok: false; readonly failure: Failure } => {
  const filledLabels = { site: templates.site, device: templates.device, notes: templates.notes }
  for (const field of ['site', 'device', 'notes'] as const) {
    const text = templates[field]
    if (text === null) continue
    const result = fillPlaceholders(text, values, maxChars[field])
    if (!result.ok)
      return {
        ok: false,
        failure: { kind: 'placeholder-unfilled', field, detail: `${field}: ${result.fault}` },
      }
    filledLabels[field] = result.text
  }
  const notes = [filledLabels.notes, sidecarNotes?.trim()]
    .filter((part) => part != null && part !== '')
    .join('\n\n')
  const ownNotes = sidecarNotes === null ? filledLabels.notes : cutNotes(notes, maxChars.notes)
  return {
    ok: true,
    labels: { ...filledLabels, notes: take === null ? ownNotes : withTake(ownNotes, take) },
  }
}

const cutNotes = (notes: string, limit: number): string | null => {
  if (notes === '') return null
  if (notes.length <= limit) return notes
  const beginning = notes.slice(0, limit - CUT_MARK.length)
  // The cut must not split a surrogate pair.
  return `${beginning.replace(/[\ud800-\udbff]$/, '')}${CUT_MARK}`
}

const NOTES_SEPARATOR = '\n\n'

/**
 * Long notes leave less space for the line about the take, which then lists fewer files. If even the shortest line does
 * not fit, Sluice cuts the notes.
 */
const withTake = (notes: string | null, take: TakeFiles): string => {
  const text = notes?.trim() ?? ''
  const line = takeLine(take, maxChars.notes - (text === '' ? 0 : text.length + NOTES_SEPARATOR.length))
  const shownText = cutNotes(text, maxChars.notes - line.length - NOTES_SEPARATOR.length)
  return shownText === null ? line : `${shownText}${NOTES_SEPARATOR}${line}`
}

/** The possible names of a recording's notes file, most likely first. */
export const sidecarNames = (name: string, suffix: string): readonly string[] =>
  [...new Set([`${name}${suffix}`, `${stemOf(name)}${suffix}`])].filter((other) => other !== name)

/** The notes files among `names` whose recording is also in `names`. */
export const sidecarsAmong = (names: readonly string[], suffix: string): ReadonlySet<string> => {
  const existingNames = new Set(names)
  const recordings = names.filter((name) => !name.endsWith(suffix))
  return new Set(
    recordings.flatMap((name) => sidecarNames(name, suffix)).filter((sidecar) => existingNames.has(sidecar)),
  )
}
