import type { Paths } from '../../../shared/paths/paths.ts'
import { fillPlaceholders, type PlaceholderValues } from '../../../shared/settings/placeholders.ts'
import type { Failure } from './failure.ts'

/** The descriptive fields of a session (§4.1). */
export type Names = { readonly site: string; readonly device: string | null; readonly notes: string | null }

/** The contract sets no limits. These are the limits of the settings. */
const maxChars = { site: 256, device: 256, notes: 4096 } as const
const cutMark = ' […]'

/** The file's name without its last extension. A name whose only dot is the first character has no extension. */
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

/** Site and device with their placeholders filled in; null if a placeholder has no value. */
export const shownNames = (
  recording: Parameters<typeof placeholderValues>[0] & Pick<Names, 'site' | 'device'>,
  hostname: string,
  paths: Pick<Paths, 'nameOf' | 'nameInside'>,
): { readonly site: string | null; readonly device: string | null } => {
  const values = placeholderValues(recording, hostname, paths)
  const filled = (field: 'site' | 'device') => {
    const result = fillPlaceholders(recording[field] ?? '', values, maxChars[field])
    return result.ok && result.text !== '' ? result.text : null
  }
  return { site: filled('site'), device: filled('device') }
}

/**
 * Fills the placeholders of the folder's settings for one recording. If a placeholder has no value, the recording waits
 * and its problem names the field. Notes from a sidecar file follow the folder's notes. Notes that are too long are
 * cut, so that they never hold up a recording.
 */
export const namesOf = (
  wanted: Names,
  values: PlaceholderValues,
  besides: string | null,
): { readonly ok: true; readonly names: Names } | { readonly ok: false; readonly failure: Failure } => {
  const filled = { site: wanted.site, device: wanted.device, notes: wanted.notes }
  for (const field of ['site', 'device', 'notes'] as const) {
    const text = wanted[field]
    if (text === null) continue
    const result = fillPlaceholders(text, values, maxChars[field])
    if (!result.ok)
      return {
        ok: false,
        failure: { kind: 'placeholder-unfilled', field, detail: `${field}: ${result.fault}` },
      }
    filled[field] = result.text
  }
  const notes = [filled.notes, besides?.trim()].filter((part) => part != null && part !== '').join('\n\n')
  return { ok: true, names: { ...filled, notes: besides === null ? filled.notes : cut(notes) } }
}

const cut = (notes: string): string | null => {
  if (notes === '') return null
  if (notes.length <= maxChars.notes) return notes
  const whole = notes.slice(0, maxChars.notes - cutMark.length)
  // The cut must not split a surrogate pair.
  return `${whole.replace(/[\ud800-\udbff]$/, '')}${cutMark}`
}

/** The possible names of a recording's notes file, most likely first. */
export const sidecarNames = (name: string, suffix: string): readonly string[] =>
  [...new Set([`${name}${suffix}`, `${stemOf(name)}${suffix}`])].filter((other) => other !== name)

/** The files among `names` that hold the notes of a recording in `names`. */
export const sidecarsAmong = (names: readonly string[], suffix: string): ReadonlySet<string> => {
  const there = new Set(names)
  const recordings = names.filter((name) => !name.endsWith(suffix))
  return new Set(
    recordings.flatMap((name) => sidecarNames(name, suffix)).filter((sidecar) => there.has(sidecar)),
  )
}
